#!/usr/bin/env node
import { enableCompileCache } from 'node:module';

// A command is mostly the compiling of its modules: with a cache it takes 0.07 s of processor instead of 0.20.
enableCompileCache();
await import('./run.ts');
