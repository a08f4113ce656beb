import { appendFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import * as z from 'zod'

/**
 * What became of a mutant:
 * - killed: a scenario reported a regression of one of its routes
 * - survived: scenarios ran it, but none reported such a regression
 * - unreached: no scenario ran it
 * - crashed: it made every request to its routes fail; not scored, because any test would notice
 */
const outcomes = ['killed', 'survived', 'unreached', 'crashed'] as const

const MutantResult = z.strictObject({
  id: z.string(),
  outcome: z.enum(outcomes),
  /** Identifies the scenarios that were tried. */
  tried: z.string(),
  scenario: z.string().optional(),
  difference: z.string().optional(),
})
export type MutantResult = z.infer<typeof MutantResult>

/** Opens the file with the results of earlier runs, one per line. If a mutant has several, its last result counts. */
export const openResults = async (path: string) => {
  await mkdir(dirname(path), { recursive: true })
  const text = await readFile(path, 'utf8').catch(() => '')
  const known = new Map<string, MutantResult>()
  const lines = text.split('\n')
  // A run that was killed while writing leaves an incomplete last line, which is removed here.
  if (lines.pop() !== '') await writeFile(path, lines.map((line) => `${line}\n`).join(''))
  for (const line of lines) {
    const result = MutantResult.parse(JSON.parse(line))
    known.set(result.id, result)
  }
  return {
    find: (id: string, tried: string) => {
      const result = known.get(id)
      return result?.tried === tried ? result : undefined
    },
    add: async (result: MutantResult) => {
      known.set(result.id, result)
      await appendFile(path, `${JSON.stringify(result)}\n`)
    },
  }
}
