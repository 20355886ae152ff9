// Builds the dashboard into dist/web: hashed files, no inline script, nothing from elsewhere.
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

export default defineConfig(({ command }) => ({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: './',
  // Whatever NODE_ENV the build is started under, what it makes is for use.
  ...(command === 'build'
    ? { mode: 'production', define: { 'process.env.NODE_ENV': JSON.stringify('production') } }
    : {}),
  oxc: { jsx: { runtime: 'automatic', development: command !== 'build' } },
  build: {
    outDir: fileURLToPath(new URL('../../dist/web', import.meta.url)),
    emptyOutDir: true,
    target: 'es2022',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 800,
  },
  server: {
    proxy: {
      '/api': { target: process.env.RIVULET_URL ?? 'http://127.0.0.1:7717', ws: true },
      '/openapi': { target: process.env.RIVULET_URL ?? 'http://127.0.0.1:7717' },
    },
  },
}));
