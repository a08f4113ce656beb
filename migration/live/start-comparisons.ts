import type { Label } from '#contracts/route-table.ts'
import type { Log } from '#gateway/observability/log.ts'
import type { Credentials } from '#gateway/pipeline/authenticate.ts'
import type { Settings } from '#gateway/settings/settings.ts'
import type { UndiciTransport } from '#proxy/undici/transport-undici.ts'
import type { ComparisonRecorder } from '../control/evidence/comparison-recorder.ts'
import type { RoutingState } from '../control/routing-state.ts'
import type { EvidenceKeys } from '../model/evidence-keys.ts'
import { createComparer } from '../shadow/compare.ts'
import { type AskBudget, createAskBudget, createAskCore } from './ask-core.ts'
import { createRepeatRule, followComparedRoutes } from './compared-routes.ts'
import { createComparisonFilter } from './comparison-filter.ts'
import { createConclude } from './conclude.ts'
import { createConfirmation, createConfirmations, createRecurrences } from './confirmations.ts'
import { createLiveComparisons } from './live-comparisons.ts'
import { createSampler } from './sample.ts'

/** How much is compared. Tests and benchmarks compare more in less time. */
const defaultRates = {
  /** Responses considered for comparison per second, for the core and for native. */
  attemptsPerSecond: 10,
  /** Percentage of native responses for which the core is asked too. */
  askedPercent: 1,
  /** Responses of each route that are considered even after the shared attempts are used up. */
  ownCopiesPerMinute: 3,
  ownAsksPerMinute: 1,
  /** Percentage of writes that are read back from both sides. */
  readBackPercent: 50,
  confirmDelayMs: 250,
  /** The period in which an account has one vote per request shape. */
  minuteMs: 60_000,
}
export type ComparisonRates = typeof defaultRates

interface StartOptions {
  readonly settings: Settings
  readonly log: Log
  readonly transport: UndiciTransport
  readonly routing: Pick<RoutingState, 'stored' | 'onChange'>
  readonly evidenceKeys: EvidenceKeys
  readonly credentials: Credentials
  readonly recorder: ComparisonRecorder
  /** Called with the number of requests that are about to be sent to the core. */
  readonly onAsk: (label: Label, requests: number) => void
  readonly listeningUrl: () => string
  readonly rates?: Partial<ComparisonRates> | undefined
  readonly handlersModule?: URL | undefined
}

/** Compares both sides' live responses from now on. The first response starts the child process. */
export const startComparisons = (options: StartOptions) => {
  const { settings, transport, recorder, credentials, onAsk } = options
  const { GATEWAY_SECRET: secret } = settings
  const rates = { ...defaultRates, ...options.rates }
  const { log, listeningUrl, handlersModule } = options
  const comparer = createComparer({ settings, listeningUrl, log, handlersModule })
  const askCore = createAskCore({ transport })
  const unreported = createAskBudget()
  const budget: AskBudget = {
    take(label, requests, isConfirmation) {
      const isPermitted = unreported.take(label, requests, isConfirmation)
      if (isPermitted) onAsk(label, requests)
      return isPermitted
    },
  }
  const mayAsk = () => transport.mayAsk()
  const mayRepeat = createRepeatRule(settings)
  const perMinute = { secret, now: Date.now, minuteMs: rates.minuteMs }
  const conclude = createConclude({
    recorder,
    confirmations: createConfirmations(),
    decideByRecurrence: createRecurrences(),
    budget,
    confirm: createConfirmation({ askCore, comparer, delayMs: rates.confirmDelayMs }),
    mayRepeat,
    mayAsk,
    votes: createComparisonFilter(perMinute),
  })
  const comparisons = createLiveComparisons({
    findRoute: followComparedRoutes(options),
    createSample: createSampler({ credentials, secret }),
    comparer,
    conclude,
    recorder,
    requests: createComparisonFilter(perMinute),
    budget,
    mayAsk,
    mayRepeat,
    askCore,
    rates,
  })
  return { ...comparisons, close: comparer.close }
}
