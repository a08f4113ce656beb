import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { readOrCreate } from '#sandbox/stored-file.ts'

/** The secret that stands in for this setting: made at the first start in a folder, the same at every later one. */
export const readOrCreateSecret = (folder: string, setting: string) =>
  readOrCreate(join(folder, setting.toLowerCase().replaceAll('_', '-')), () =>
    randomBytes(32).toString('base64'),
  )
