import { importWithFixedSemiSpace } from './process/import-with-fixed-semi-space.ts'

await importWithFixedSemiSpace(() => import('./process/run-server.ts'))
