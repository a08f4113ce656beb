import { loadSparingly } from './load-sparingly.ts'

await loadSparingly(() => import('./run-server.ts'))
