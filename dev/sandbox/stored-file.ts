import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'

const ignoreMissing = (error: NodeJS.ErrnoException) => {
  if (error.code !== 'ENOENT') throw error
}

/** Reads a file's text; null if the file is missing or empty. A full disk or a power failure can leave it empty. */
export const readStoredText = async (file: string): Promise<string | null> => {
  const text = (await readFile(file, 'utf8').catch(ignoreMissing)) ?? ''
  return text.trim() === '' ? null : text
}

/** Reads a file's text, or creates the file with mode 0600. Two processes must not do this at the same time. */
export const readOrCreate = async (file: string, create: () => string | Promise<string>): Promise<string> => {
  const existing = await readStoredText(file)
  if (existing !== null) return existing
  const text = await create()
  await mkdir(dirname(file), { recursive: true })
  await writeFile(`${file}.new`, text, { mode: 0o600, flush: true })
  await rename(`${file}.new`, file)
  return text
}
