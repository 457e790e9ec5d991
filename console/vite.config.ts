import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { defineConfig, type Plugin } from 'vite';

/** Smaller files fit one packet. */
const MIN_COMPRESSED_BYTES = 1024;

/** Quality 11 would save 0.04 MB of 0.5, and take 3 s of a first start. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };

/** Stores each text beside its file, compressed: once here, not in each answer. */
function compressFiles(): Plugin {
  let folder = '';
  return {
    name: 'compress-files',
    apply: 'build',
    configResolved(config) {
      folder = path.resolve(config.root, config.build.outDir);
    },
    // Not when a build ends without success: its own error would be hidden.
    async writeBundle() {
      const names = await readdir(folder, { recursive: true });
      const texts = names.filter((name) => /\.(html|js|mjs|css|svg|json)$/.test(name));
      await Promise.all(
        texts.map(async (name) => {
          const file = path.join(folder, name);
          const content = await readFile(file);
          if (content.length < MIN_COMPRESSED_BYTES) return;
          await writeFile(`${file}.br`, await promisify(brotliCompress)(content, BROTLI));
          await writeFile(`${file}.gz`, await promisify(gzip)(content, { level: 9 }));
        }),
      );
    },
  };
}

export default defineConfig({
  root: import.meta.dirname,
  base: '/console/',
  // A path may stand before it: files find each other, and the service puts the path into its page.
  experimental: {
    renderBuiltUrl: (_name, { hostType }) => (hostType === 'html' ? undefined : { relative: true }),
  },
  // JSX becomes calls of Preact: no plug-in is needed.
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  worker: { format: 'es' },
  build: {
    emptyOutDir: true,
    // A `data:` script or style would break the content policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1200,
  },
  plugins: [compressFiles()],
});
