import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { formatErrorsPage } from './errors-page.ts'

// `npm run errors-page`
writeFileSync(join(import.meta.dirname, '../../../docs/errors.md'), formatErrorsPage())
