import '../scripts/check-node.mjs'
import { importWithFixedSemiSpace } from './process/import-with-fixed-semi-space.ts'

await importWithFixedSemiSpace(() => import('./process/run-jobs.ts'))
