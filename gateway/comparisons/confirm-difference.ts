import { setTimeout as sleep } from 'node:timers/promises'
import type { Difference } from '#migration/diff/verdict.ts'
import type { Comparer } from '../shadow/compare.ts'
import type { CopiedResponse } from '../shadow/comparison-tasks.ts'
import type { AskCore } from './ask-core.ts'
import type { Sample } from './sample.ts'

interface ConfirmOptions {
  readonly askCore: AskCore
  readonly comparer: Pick<Comparer, 'compare'>
  /** How long the sides get to complete what was in progress. */
  readonly delayMs: number
}

/**
 * Repeats a request to the core, to native and to the core again. Resolves to the differences that both responses of
 * the core have with native and do not have with each other; null if one of the three has no response.
 */
export const createConfirmation =
  ({ askCore, comparer, delayMs }: ConfirmOptions) =>
  async ({ label, request, received }: Sample): Promise<readonly Difference[] | null> => {
    const id = crypto.randomUUID()
    await sleep(delayMs, undefined, { ref: false })
    const before = await askCore(received)
    if (!before) return null
    const held = await comparer.compare({ kind: 'hold-native', id, label, request })
    if (held.kind !== 'held') return null
    const after: CopiedResponse | null = await askCore(received)
    if (!after) return null
    const confirmed = await comparer.compare({ kind: 'confirm', id, label, before, after })
    return confirmed.kind === 'confirmed' ? confirmed.differences : null
  }
