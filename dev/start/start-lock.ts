import { readFile } from 'node:fs/promises'
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

export const acquireStartLock = async (stateDir: string): Promise<() => Promise<void>> => {
  const file = join(stateDir, 'start.lock')
  try {
    return await acquireDatabaseLock(file)
  } catch (error) {
    const holder = await readJson(file, Holder)
    if (holder === null || (error instanceof Error && 'code' in error)) throw error
    const url = (await readJson(join(stateDir, 'admin.json'), Running))?.service
    throw new Error(
      `npm start is already running in this folder${url ? `, at ${url}` : ''} (process ${holder.pid}). Stop it first with Ctrl-C.`,
      { cause: error },
    )
  }
}
