import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { readOrCreate } from '../sandbox/stored-file.ts'

/**
 * Returns a generated secret for a variable that is not set. It is generated once for each state directory and read
 * from there after that.
 */
export const readOrCreateSecret = (directory: string, setting: string) =>
  readOrCreate(join(directory, setting.toLowerCase().replaceAll('_', '-')), () =>
    randomBytes(32).toString('base64'),
  )
