import { randomUUID } from 'node:crypto'
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'

const unless = (code: string) => (error: NodeJS.ErrnoException) => {
  if (error.code !== code) throw error
}

const textIn = async (file: string) => (await readFile(file, 'utf8').catch(unless('ENOENT'))) ?? null

/** What a file keeps; null where there is none, or an empty one, as a full disk or a power cut may leave it. */
export const readStored = async (file: string): Promise<string | null> => {
  const text = await textIn(file)
  return text?.trim() ? text : null
}

const create = async (file: string, text: string) => {
  await mkdir(dirname(file), { recursive: true })
  const draft = `${file}.${randomUUID()}`
  await writeFile(draft, text, { mode: 0o600, flag: 'wx', flush: true })
  try {
    if ((await textIn(file))?.trim() === '') await rm(file, { force: true })
    // A link appears whole or not at all and never replaces a file: of two starters both end with the same text. Where
    // both find an empty file, the later may take away what the earlier has made.
    await link(draft, file).catch(unless('EEXIST'))
  } finally {
    await rm(draft)
  }
}

/** The text that a file keeps, readable by its owner alone: made the first time, the same at every later one. */
export const readOrCreate = async (file: string, make: () => string | Promise<string>): Promise<string> => {
  const kept = await readStored(file)
  if (kept !== null) return kept
  await create(file, await make())
  const made = await readStored(file)
  if (made === null) throw new Error(`${file} cannot be written`)
  return made
}
