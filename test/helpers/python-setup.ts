import type { TestProject } from 'vitest/node';
import { installPython } from '../../clients/python/environment.ts';

declare module 'vitest' {
  // biome-ignore lint/style/useConsistentTypeDefinitions: it adds to an interface of the library
  interface ProvidedContext {
    /** folder of Python and its tools; empty if there is none: tests in Python are then skipped */
    pythonFolder: string;
  }
}

/** One Python for the run, with what all tests of clients need. The first time it is installed, which takes minutes. */
export default async function setup(project: TestProject) {
  const program = await installPython('test').catch((error: Error) => {
    console.warn(
      '\n  ############################################################################\n' +
        '  #  No Python 3.10 or newer with venv and its packages: the tests of the    #\n' +
        '  #  clients in Python are SKIPPED.                                          #\n' +
        `  ############################################################################\n  ${error.message.split('\n')[0]}\n`,
    );
    return undefined;
  });
  project.provide('pythonFolder', program?.('') ?? '');
}
