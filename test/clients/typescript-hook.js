import { registerHooks } from 'node:module';

// openapi-typescript builds its output with the compiler's own factory, which TypeScript 7 does not have. ts-morph
// brings one along; a second TypeScript would take the place of `tsc`.
const factory = `data:text/javascript,import { ts } from ${JSON.stringify(import.meta.resolve('@ts-morph/common'))}; export default ts;`;
registerHooks({
  resolve: (specifier, context, next) => next(specifier === 'typescript' ? factory : specifier, context),
});
