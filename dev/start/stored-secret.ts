import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { readOrCreate } from '../sandbox/stored-file.ts'

/**
 * Returns the generated secret for a variable that is not set. It is created at the directory's first start and read
 * from the directory after that.
 */
export const readOrCreateSecret = (directory: string, setting: string) =>
  readOrCreate(join(directory, setting.toLowerCase().replaceAll('_', '-')), () =>
    randomBytes(32).toString('base64'),
  )
