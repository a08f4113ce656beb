import { appendFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import * as z from 'zod'

/**
 * - killed: a scenario of one of its routes reports a regression of that route
 * - survived: no scenario does
 * - unreached: no scenario runs it
 * - crashed: every success of its routes fails; not scored, because any test would notice
 */
const outcomes = ['killed', 'survived', 'unreached', 'crashed'] as const

const MutantResult = z.strictObject({
  id: z.string(),
  outcome: z.enum(outcomes),
  /** Identifies the scenarios that were tried. */
  tried: z.string(),
  /** The scenario that reported a difference, and where the difference was. */
  scenario: z.string().optional(),
  difference: z.string().optional(),
})
export type MutantResult = z.infer<typeof MutantResult>

/** Opens the results of earlier runs, one per line. A mutant's last result counts. */
export const openResults = async (path: string) => {
  await mkdir(dirname(path), { recursive: true })
  const text = await readFile(path, 'utf8').catch(() => '')
  const known = new Map<string, MutantResult>()
  const lines = text.split('\n')
  // If a run is killed while writing, it leaves an incomplete line.
  if (lines.pop() !== '') await writeFile(path, lines.map((line) => `${line}\n`).join(''))
  for (const line of lines) {
    const result = MutantResult.parse(JSON.parse(line))
    known.set(result.id, result)
  }
  return {
    /** Finds a mutant's result, if the same scenarios would be tried again. */
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
