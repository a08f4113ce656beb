import type { Label } from '#contracts/route-table.ts'
import { signHmac } from '#shared/hmac-sha256.ts'
import { formatDay } from '#shared/iso-clock.ts'
import { compareLive, confirmLive, isReference, type LiveResponse } from '../diff/compare-live.ts'
import type { Rules } from '../diff/judge.ts'
import { createMask, type Mask } from '../diff/mask.ts'
import { type RecordedResponse, readBody } from '../diff/recorded-response.ts'
import { type Difference, differenceClasses, selectMostSevere } from '../diff/verdict.ts'
import { findUnwritten } from '../diff/written.ts'
import { responseShapesOf } from '../model/gate/response-shapes.ts'
import {
  type ChildResult,
  type ComparisonTask,
  type CopiedResponse,
  maxDifferences,
  maxTextLength,
} from './comparison-tasks.ts'
import { readCopiedResponse } from './read-copied-response.ts'
import type { ShadowedRequest, ShadowOutcome } from './run-shadowed.ts'

/**
 * Creates the mask for customers' values in stored examples. Within a day (UTC), all instances with the same secret
 * mask equal values in the same way, so examples can be related to each other. The mask changes every day, so no value
 * can be traced from one day to the next. `at` is in Unix milliseconds.
 */
export const createDailyMask = (secret: string, at: number): Mask =>
  createMask(signHmac(secret, 'masked example\n', formatDay(at)).toString('hex'))

interface ComparisonOptions {
  readonly runNative: (label: Label, request: ShadowedRequest) => Promise<ShadowOutcome>
  /** Whether shadowed requests cannot use the database, because every server that can be reached is a replica. */
  readonly isReplica: () => Promise<boolean>
  readonly createRules: () => Rules
}

type NotComparable = Extract<ChildResult, { kind: 'not_comparable' }>
type ShadowTask = Extract<ComparisonTask, { kind: 'shadow' }>
type ConfirmTask = Extract<ComparisonTask, { kind: 'confirm' }>
type Read = RecordedResponse | NotComparable

const isNotComparable = (value: object): value is NotComparable =>
  'kind' in value && value.kind === 'not_comparable'

const notComparable = (reason: NotComparable['reason']): NotComparable => ({ kind: 'not_comparable', reason })

const read = (copied: CopiedResponse): Read => {
  const response = readCopiedResponse(copied)
  return typeof response === 'string' ? notComparable(response) : response
}

// Native must serve such a request some day, so the gate has to know that the core did.
const hasFailed = ({ reason }: NotComparable) => reason === 'database' || reason === 'timeout'

const shapesOf = (label: Label, { status, body }: RecordedResponse) =>
  body.kind === 'json' ? responseShapesOf(label, status, body.value) : []

const severityOf = (difference: Difference) => differenceClasses.indexOf(difference.class)

// The limit rarely cuts a path, because paths end where the contract no longer names the keys. It may cut a header's
// value, because a header can list the same known value many times.
const shorten = (text: string) => text.slice(0, maxTextLength)
const shortenValue = (text: string | null) => (text === null ? null : shorten(text))

const limitDifferences = (differences: readonly Difference[]): readonly Difference[] =>
  differences
    .toSorted((a, b) => severityOf(b) - severityOf(a))
    .slice(0, maxDifferences)
    .map(({ example, ...difference }) => ({
      ...difference,
      path: shorten(difference.path),
      example: {
        path: shorten(example.path),
        native: shortenValue(example.native),
        core: shortenValue(example.core),
      },
    }))

const readRequest = (request: Buffer | null): unknown => {
  const body = readBody(request?.toString() ?? '')
  return body.kind === 'json' ? body.value : undefined
}

// Adds where the core's response contradicts the write, if the task has one. Contradictions count even if native and
// the core cannot be compared.
const addUnwritten = (compared: ChildResult, { label, core, write }: ShadowTask): ChildResult => {
  if (!write) return compared
  const [coreRead, response] = [read(core), read(write.response)]
  if (isNotComparable(coreRead) || isNotComparable(response)) return compared
  const unwritten = findUnwritten(
    { ...write, request: readRequest(write.request), response },
    label,
    coreRead,
  )
  if (unwritten.length === 0) return compared
  const { differences: others, shapes } =
    compared.kind === 'compared' ? compared : { differences: [], shapes: [] }
  const differences = limitDifferences([...unwritten, ...others])
  const severest = selectMostSevere(differences.map((each) => each.class))
  return { kind: 'compared', class: severest, differences, shapes }
}

const maxKept = 16
const ttlMs = 10_000

export class KeptResponses<T> {
  readonly #kept = new Map<string, { readonly value: T; readonly timer: NodeJS.Timeout }>()

  keep(id: string, value: T) {
    this.take(id)
    const [oldest] = this.#kept.keys()
    if (this.#kept.size >= maxKept && oldest !== undefined) this.take(oldest)
    const timer = setTimeout(() => this.#kept.delete(id), ttlMs).unref()
    this.#kept.set(id, { value, timer })
  }

  take(id: string): T | null {
    const kept = this.#kept.get(id)
    if (!kept) return null
    clearTimeout(kept.timer)
    this.#kept.delete(id)
    return kept.value
  }
}

export const createComparison = ({ runNative, isReplica, createRules }: ComparisonOptions) => {
  const kept = new KeptResponses<LiveResponse>()

  const readNative = async (label: Label, request: ShadowedRequest): Promise<Read> => {
    const outcome = await runNative(label, request)
    if (outcome.kind === 'response') return read(outcome)
    const isUnusable = outcome.reason === 'database' && (await isReplica())
    return notComparable(isUnusable ? 'replica' : outcome.reason)
  }

  const compare = (label: Label, query: string, native: Read, core: Read): ChildResult => {
    if (isNotComparable(native)) {
      const isMissing = hasFailed(native) && !isNotComparable(core) && isReference(label, query, core)
      return isMissing ? { ...native, shapes: shapesOf(label, core) } : native
    }
    if (isNotComparable(core)) return core
    const compared = compareLive({ label, query, native }, core, createRules())
    if ('kind' in compared) return compared
    const differences = limitDifferences(compared.differences)
    return { kind: 'compared', class: compared.class, differences, shapes: shapesOf(label, core) }
  }

  const keep = (id: string, label: Label, query: string, native: Read): ChildResult => {
    if (isNotComparable(native)) return native
    kept.keep(id, { label, query, native })
    return { kind: 'kept' }
  }

  const confirm = ({ id, first, ...core }: ConfirmTask): ChildResult => {
    const live = kept.take(id)
    if (!live) return notComparable('not_kept')
    const [before, after, firstCore] = [read(core.before), read(core.after), first && read(first.core)]
    if (isNotComparable(before)) return before
    if (isNotComparable(after)) return after
    if (firstCore && isNotComparable(firstCore)) return firstCore
    const confirming = { before, after, first: first && firstCore && { ...first, core: firstCore } }
    const persistent = confirmLive(live, confirming, createRules())
    if ('kind' in persistent) return persistent
    return { kind: 'confirmed', differences: limitDifferences(persistent) }
  }

  return async (task: ComparisonTask): Promise<ChildResult> => {
    switch (task.kind) {
      case 'shadow':
        return addUnwritten(
          compare(
            task.label,
            task.request.query,
            await readNative(task.label, task.request),
            read(task.core),
          ),
          task,
        )
      case 'compare':
        return compare(task.label, task.request.query, read(task.native), read(task.core))
      case 'keep-native':
        return keep(task.id, task.label, task.request.query, await readNative(task.label, task.request))
      case 'confirm':
        return confirm(task)
    }
  }
}
