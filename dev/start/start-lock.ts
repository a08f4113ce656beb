import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import { acquireDatabaseLock } from '#dev/postgres/database-lock.ts'

const readJson = async <T>(file: string, schema: z.ZodType<T>): Promise<T | null> => {
  try {
    return schema.parse(JSON.parse(await readFile(file, 'utf8')))
  } catch {
    return null
  }
}

const Holder = z.object({ pid: z.int() })
const Running = z.object({ service: z.string().nullable() })

// `EEXIST` and `ENOTDIR`: a file is in the place of the folder, or of one above it.
const notWritable = new Set(['EACCES', 'EEXIST', 'ENOTDIR', 'EROFS'])

export const acquireStartLock = async (stateDir: string): Promise<() => Promise<void>> => {
  const file = join(stateDir, 'start.lock')
  try {
    await mkdir(stateDir, { recursive: true })
    return await acquireDatabaseLock(file)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : null
    if (code !== null && notWritable.has(code))
      throw new Error(`cannot write to ${stateDir} (${code}): make it a folder that you can write to`, {
        cause: error,
      })
    const holder = await readJson(file, Holder)
    if (holder === null || code !== null) throw error
    const url = (await readJson(join(stateDir, 'admin.json'), Running))?.service
    throw new Error(
      `npm start is already running in this folder${url ? `, at ${url}` : ''} (process ${holder.pid}). Stop it first with Ctrl-C.`,
      { cause: error },
    )
  }
}
