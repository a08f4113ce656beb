import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { readOrCreate } from '../sandbox/stored-file.ts'

/** The generated secret for a variable that is not set: created at the first start in a directory, then read from it. */
export const readOrCreateSecret = (directory: string, setting: string) =>
  readOrCreate(join(directory, setting.toLowerCase().replaceAll('_', '-')), () =>
    randomBytes(32).toString('base64'),
  )
