import type { Label } from '#contracts/route-table.ts'
import type { RequestContext } from '#gateway/request/context.ts'
import type { GatewayResponse } from '#gateway/request/response.ts'
import type { ReceivedRequest, RouteControl } from '#gateway/request/route-control.ts'
import type { CoreResponse } from '#proxy/core-response.ts'
import { runOutsideTraces } from '#shared/tracing/trace.ts'
import type { ComparisonRecorder } from '../control/evidence/comparison-recorder.ts'
import type { Comparer } from '../shadow/compare.ts'
import type { CopiedResponse, CopiedWrite } from '../shadow/comparison-tasks.ts'
import { copyNative } from '../shadow/read-copied-response.ts'
import type { AskBudget, AskCore } from './ask-core.ts'
import type { ComparedRoute } from './compared-routes.ts'
import type { ComparisonFilter } from './comparison-filter.ts'
import { type createConclude, listShapes } from './conclude.ts'
import { copyWrite, createLaterWrites, isTooLong, listReadBacks, listWrittenIds } from './read-back.ts'
import {
  createRouteRate,
  createSampleRate,
  type createSampler,
  credentialOf,
  isComparable,
  type Sample,
} from './sample.ts'
import type { ComparisonRates } from './start-comparisons.ts'

export type LiveComparisons = Required<Pick<RouteControl, 'tapCore' | 'untapped' | 'sampleNative'>>

interface LiveComparisonsOptions {
  readonly findRoute: (label: Label) => ComparedRoute | null
  readonly createSample: ReturnType<typeof createSampler>
  readonly comparer: Pick<Comparer, 'compare' | 'hasCapacity'>
  readonly conclude: ReturnType<typeof createConclude>
  readonly recorder: ComparisonRecorder
  /** Admits the same request at most once a minute. */
  readonly requests: ComparisonFilter
  readonly budget: AskBudget
  readonly mayAsk: () => boolean
  readonly mayRepeat: (label: Label) => boolean
  readonly askCore: AskCore
  readonly rates: Omit<ComparisonRates, 'confirmDelayMs' | 'minuteMs'>
  readonly random?: () => number
}

/** Statuses that a request may get only because of its conditional headers. */
const conditionalStatuses: ReadonlySet<number> = new Set([206, 304, 412, 416])

/**
 * Compares both sides' responses while clients are served: repeats on native what the core served, asks the core for
 * some of what native served, and reads some of native's writes back from both sides. No client waits for this or
 * notices when it fails.
 */
export const createLiveComparisons = (options: LiveComparisonsOptions): LiveComparisons => {
  const { findRoute, createSample, comparer, conclude, recorder, requests, budget } = options
  const { mayAsk, mayRepeat, askCore, rates, random = Math.random } = options
  // Limit how often to consider copying a core response, and how often to consider asking the core.
  const copyAttempts = createSampleRate(rates.attemptsPerSecond)
  const askAttempts = createSampleRate(rates.attemptsPerSecond)
  // Allow each route some copies and, during a canary, some requests to the core, in addition to the shared amount.
  const ownCopies = createRouteRate(rates.ownCopiesPerMinute)
  const ownAsks = createRouteRate(rates.ownAsksPerMinute)
  const laterWrites = createLaterWrites()

  const countDrop = ({ label, evidenceKey }: ComparedRoute) => recorder.countDrop(label, evidenceKey)

  const compareCopy = async (
    route: ComparedRoute,
    context: RequestContext,
    received: ReceivedRequest,
    { status, headers, body }: CoreResponse,
  ) => {
    const sample = await createSample(route, context, received)
    const coreBefore = body && { status, headers, body }
    const { label, request } = sample
    const result = coreBefore
      ? await comparer.compare({ kind: 'shadow', label, request, core: coreBefore })
      : ({ kind: 'not_comparable', reason: 'body_too_long' } as const)
    recorder.recordUsage(label, status, sample.subject, listShapes(sample, result))
    await conclude({ sample, coreStatus: status, coreBefore }, result)
  }

  const askForNative = async (
    route: ComparedRoute,
    context: RequestContext,
    received: ReceivedRequest,
    native: CopiedResponse,
  ) => {
    const sample = await createSample(route, context, received)
    const core = await askCore(received)
    if (!core) return countDrop(route)
    const { label, request } = sample
    const result = await comparer.compare({ kind: 'compare', label, request, native, core })
    await conclude({ sample, coreStatus: core.status, coreBefore: null }, result)
  }

  const readBack = async (
    sample: Sample,
    route: ComparedRoute,
    write: CopiedWrite | null,
    isWrittenAgain: () => boolean,
  ) => {
    recorder.countCopy(route.label, route.evidenceKey)
    const core = await askCore(sample.received)
    // If the resource was written again, the core's response no longer shows this write.
    const compared = isWrittenAgain() || write === null ? undefined : write
    if (!core) return countDrop(route)
    const { label, request } = sample
    const result = await comparer.compare({ kind: 'shadow', label, request, core, write: compared })
    await conclude({ sample, coreStatus: core.status, coreBefore: core }, result)
  }

  const readBackOne = async (
    route: ComparedRoute,
    context: RequestContext,
    received: ReceivedRequest,
    response: GatewayResponse,
    isWrittenAgain: () => boolean,
  ) => {
    const [write, copied] = await Promise.all([
      createSample(route, context, received),
      copyWrite(context, response),
    ])
    const reads = listReadBacks(context, response).filter(({ label }) => mayRepeat(label))
    // Chosen at random, because the route's budget allows only one read at a time. If the choice were fixed, the other
    // reads would never be compared.
    const read = reads[Math.floor(random() * reads.length)]
    if (!read || !mayAsk() || !requests.count(credentialOf(context), read.path)) return
    if (!budget.take(route.label, 1)) return
    const { label, path } = read
    const request = { ...write.request, path, query: '' }
    const sample = { ...write, label, request, received: { ...received, target: path } }
    await readBack(sample, route, copied, isWrittenAgain)
  }

  // Repeating the same request within a minute shows nothing new.
  const isNew = (context: RequestContext) =>
    requests.count(credentialOf(context), `${context.path}?${context.query}`)

  const noteWrite = (context: RequestContext) => {
    if (context.method !== 'GET') laterWrites.note(credentialOf(context), context.path)
  }

  // No client waits for this work, so it belongs to no client's trace.
  const run = (route: ComparedRoute, work: () => Promise<void>) => {
    runOutsideTraces(work).catch(() => countDrop(route))
  }

  return {
    tapCore(label, context, receive) {
      noteWrite(context)
      const route = findRoute(label)
      // The cheapest checks come first, because this runs for every request of a compared route.
      if (!route?.copiesToNative || (copyAttempts.isExhausted() && ownCopies.isExhausted(label))) return
      if (context.outcome.fallbackReason !== null || !isComparable(context)) return
      if (
        !(ownCopies.take(label) || copyAttempts.take()) ||
        !comparer.hasCapacity() ||
        !mayAsk() ||
        !isNew(context)
      )
        return
      return (response) => {
        recorder.countCopy(label, route.evidenceKey)
        run(route, () => compareCopy(route, context, receive(), response))
        return undefined
      }
    },
    untapped(label, context, status) {
      noteWrite(context)
      // Coverage must not require a response that is never compared. Otherwise a 304 would block its route forever.
      if (!findRoute(label)?.copiesToNative || context.method !== 'GET') return
      if (!conditionalStatuses.has(status) || isComparable(context))
        recorder.recordUsage(label, status, null, [])
    },
    sampleNative(context, response, receive) {
      // Some responses here are neither side's: the gateway also responds to requests that it could not forward.
      const { label, runtime, nativeMs } = context.outcome
      if (label === 'unmatched' || runtime !== 'native' || nativeMs === null) return
      noteWrite(context)
      const route = findRoute(label)
      if (route?.readsBack && response.status < 300 && random() * 100 < rates.readBackPercent) {
        if (!askAttempts.take()) return
        const endWatch = laterWrites.watch(credentialOf(context), listWrittenIds(context, response))
        return run(route, () => readBackOne(route, context, receive(), response, endWatch).finally(endWatch))
      }
      if (!route?.asksCore || !isComparable(context)) return
      const isOwn = route.isCanary && ownAsks.take(label)
      if ((!isOwn && random() * 100 >= rates.askedPercent) || isTooLong(response)) return
      if (!(isOwn || askAttempts.take()) || !mayAsk() || !isNew(context) || !budget.take(route.label, 1))
        return
      recorder.countCopy(route.label, route.evidenceKey)
      run(route, () => askForNative(route, context, receive(), copyNative(response)))
    },
  }
}
