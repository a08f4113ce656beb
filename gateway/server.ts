import { loadSparingly } from './process/import-with-fixed-semi-space.ts'

await loadSparingly(() => import('./process/run-server.ts'))
