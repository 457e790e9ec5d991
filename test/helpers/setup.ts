import { afterAll } from 'vitest';
import { cleanUp } from './at-end.ts';

// Vitest runs this before each test file, also where files share a process.
afterAll(cleanUp);
