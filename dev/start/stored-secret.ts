import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { readOrCreate } from '../sandbox/stored-file.ts'

/** Returns the generated secret for an unset variable: created at a directory's first start, then read from it. */
export const readOrCreateSecret = (directory: string, setting: string) =>
  readOrCreate(join(directory, setting.toLowerCase().replaceAll('_', '-')), () =>
    randomBytes(32).toString('base64'),
  )
