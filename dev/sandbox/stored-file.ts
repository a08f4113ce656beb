import { randomUUID } from 'node:crypto'
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'

const ignoreError = (code: string) => (error: NodeJS.ErrnoException) => {
  if (error.code !== code) throw error
}

const readIfExists = async (file: string) =>
  (await readFile(file, 'utf8').catch(ignoreError('ENOENT'))) ?? null

/** Reads a file's text; null if the file is missing or empty. A full disk or a power failure can leave it empty. */
export const readStoredText = async (file: string): Promise<string | null> => {
  const text = await readIfExists(file)
  return text?.trim() ? text : null
}

const writeNewFile = async (file: string, text: string) => {
  await mkdir(dirname(file), { recursive: true })
  const draft = `${file}.${randomUUID()}`
  await writeFile(draft, text, { mode: 0o600, flag: 'wx', flush: true })
  try {
    if ((await readIfExists(file))?.trim() === '') await rm(file, { force: true })
    // Linking is atomic and never replaces a file, so two concurrent starts end up with the same text. The exception:
    // if both find an empty file, the later one may remove what the earlier one created.
    await link(draft, file).catch(ignoreError('EEXIST'))
  } finally {
    await rm(draft)
  }
}

/** Reads a file's text, or creates the file with mode 0600. */
export const readOrCreate = async (file: string, create: () => string | Promise<string>): Promise<string> => {
  const existing = await readStoredText(file)
  if (existing !== null) return existing
  await writeNewFile(file, await create())
  const stored = await readStoredText(file)
  if (stored === null)
    throw new Error(`${file} is still empty after writing to it: check the free disk space`)
  return stored
}
