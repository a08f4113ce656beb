import { setTimeout as sleep } from 'node:timers/promises'
import type { Label } from '#contracts/route-table.ts'
import { hourMs } from '#shared/durations.ts'
import type { FirstComparison } from '../diff/compare-live.ts'
import type { Difference } from '../diff/verdict.ts'
import type { Comparer } from '../shadow/compare.ts'
import type { CopiedResponse } from '../shadow/comparison-tasks.ts'
import type { AskCore } from './ask-core.ts'
import type { Sample } from './sample.ts'

// What to do about a comparison's severe differences: repeat the request to confirm them, count them, or treat them as
// transient. `undecided` means that nothing is known yet and no further confirmation is allowed.
type Decision = 'confirm' | 'count' | 'transient' | 'undecided'

export type Confirmations = ReturnType<typeof createConfirmations>

/** Monotonic clock, in milliseconds. */
type Clock = () => number

const maxConfirmations = 3
const maxSignatures = 1000
/** A confirmation without a result after this time no longer counts towards the limit. */
const resultTimeoutMs = 30_000
const firstRepeatMs = 300_000

interface History {
  /** When each of the last hour's confirmations ended. */
  ended: number[]
  /** When each confirmation that has no result yet began. */
  begun: number[]
  /** The number of confirmations in a row that found the difference again. */
  persisted: number
  repeatAt: number
}

const createHistory = (): History => ({ ended: [], begun: [], persisted: 0, repeatAt: 0 })

/** Returns a signature's entry, creating it if needed. Drops the least recently used entry if there are too many. */
const touch = <T>(entries: Map<string, T>, label: Label, signature: string, create: () => T): T => {
  const key = `${label} ${signature}`
  const entry = entries.get(key) ?? create()
  entries.delete(key)
  entries.set(key, entry)
  const [oldest] = entries.keys()
  if (entries.size > maxSignatures && oldest !== undefined) entries.delete(oldest)
  return entry
}

/**
 * Decides which severe differences of live comparisons are confirmed. A confirmed signature counts until a later
 * confirmation does not find it again. It is confirmed again after 5 minutes, and then at intervals that double up to an
 * hour. After three confirmations within an hour, the last result decides. These limits apply only to the signature that
 * caused a confirmation; others that occur with it are tried too.
 */
export const createConfirmations = (now: Clock = () => performance.now()) => {
  const entries = new Map<string, History>()

  const find = (label: Label, signature: string, at: number) => {
    const entry = touch(entries, label, signature, createHistory)
    entry.ended = entry.ended.filter((ended) => at - ended < hourMs)
    entry.begun = entry.begun.filter((begun) => at - begun < resultTimeoutMs)
    return entry
  }

  const mayConfirm = ({ ended, begun, persisted, repeatAt }: History, at: number) =>
    ended.length + begun.length < maxConfirmations &&
    (persisted === 0 || (at >= repeatAt && begun.length === 0))

  return {
    decide(label: Label, signatures: readonly string[]): Decision {
      const at = now()
      const found = signatures.map((signature) => find(label, signature, at))
      if (found.some((entry) => mayConfirm(entry, at))) return 'confirm'
      if (found.some(({ persisted }) => persisted > 0)) return 'count'
      return found.every(({ ended }) => ended.length > 0) ? 'transient' : 'undecided'
    },
    /** Begins a confirmation that `decide` allowed. Its result must be recorded within 30 seconds. */
    begin(label: Label, signatures: readonly string[]) {
      const at = now()
      for (const signature of signatures) {
        const entry = find(label, signature, at)
        if (mayConfirm(entry, at)) entry.begun.push(at)
      }
    },
    record(label: Label, tried: readonly string[], persisted: readonly string[]) {
      const at = now()
      for (const signature of tried) {
        const entry = find(label, signature, at)
        entry.begun.shift()
        entry.ended = [...entry.ended, at].slice(-maxConfirmations)
        entry.persisted = persisted.includes(signature) ? entry.persisted + 1 : 0
        entry.repeatAt = at + Math.min(hourMs, firstRepeatMs * 2 ** (entry.persisted - 1))
      }
    },
  }
}

export type DecideByRecurrence = (label: Label, signatures: readonly string[]) => 'count' | 'undecided'

/**
 * Decides for routes whose requests must not be repeated on the core. A signature counts if it already occurred within
 * the last hour. Until it recurs, nobody knows whether the core agrees with itself.
 */
export const createRecurrences = (now: Clock = () => performance.now()): DecideByRecurrence => {
  const entries = new Map<string, { at: number | null }>()
  return (label, signatures) => {
    const at = now()
    const recurring = signatures.filter((signature) => {
      const entry = touch(entries, label, signature, (): { at: number | null } => ({ at: null }))
      const isRecurring = entry.at !== null && at - entry.at < hourMs
      entry.at = at
      return isRecurring
    })
    return recurring.length > 0 ? 'count' : 'undecided'
  }
}

interface ConfirmOptions {
  readonly askCore: AskCore
  readonly comparer: Pick<Comparer, 'compare'>
  /** How long both sides get to finish work in progress. */
  readonly delayMs: number
}

/**
 * Sends a request to the core again, then to native, then to the core once more. Resolves with the differences in
 * native's repeated or first response, at places where the core agrees with itself; null if one of the three responses
 * is missing.
 */
export const createConfirmation =
  ({ askCore, comparer, delayMs }: ConfirmOptions) =>
  async (
    { label, request, received }: Sample,
    first: FirstComparison<CopiedResponse> | null,
  ): Promise<readonly Difference[] | null> => {
    const id = crypto.randomUUID()
    await sleep(delayMs, undefined, { ref: false })
    const before = await askCore(received)
    if (!before) return null
    const kept = await comparer.compare({ kind: 'keep-native', id, label, request })
    if (kept.kind !== 'kept') return null
    const after: CopiedResponse | null = await askCore(received)
    if (!after) return null
    const confirmed = await comparer.compare({ kind: 'confirm', id, label, before, after, first })
    return confirmed.kind === 'confirmed' ? confirmed.differences : null
  }
