import { isLabel } from '#contracts/shared/row.ts'
import type { Instance } from './instance.ts'
import type { LogLine } from './instance-log.ts'
import type { LoadSample } from './load.ts'
import type { RoutingModel, Side } from './routing-model.ts'

export interface RequestReport {
  readonly requests: number
  readonly native: number
  /** Requests without a response, or with a status of 500 or more. */
  readonly aborted: number
  /** Responses that do not have exactly one log line with the same request and runtime. */
  readonly unlogged: number
  /** Requests with an epoch that their instance was not using at that time. */
  readonly otherEpoch: number
  /** Requests whose selected side is not the one that their epoch prescribes. */
  readonly otherSide: number
  readonly reasons: Readonly<Record<string, number>>
}

/** Returns the side selected for a request, even if the core served it because native could not. */
export const findSelectedSide = ({ runtime, reason, fallbackReason }: LogLine): Side =>
  runtime === 'native' || reason === 'breaker' || fallbackReason !== undefined ? 'native' : 'core'

/** Returns when a request arrived, as Unix time in milliseconds. */
export const findArrival = ({ time, durationMs }: LogLine) => time - durationMs

// A request's duration and its log line's time are read one after the other. On a busy machine, another process may run
// between the two reads.
const toleranceMs = 50

/** Lists the log lines of requests, each with whether its epoch was in use at some time during the request. */
const readRequests = (lines: readonly LogLine[]) => {
  const adopted: { readonly epoch: number; readonly at: number }[] = [{ epoch: 0, at: 0 }]
  const requests: { readonly line: LogLine; readonly hasOwnEpoch: boolean }[] = []
  for (const line of lines) {
    const { msg, epoch = 0, time } = line
    if (msg === 'routing state adopted') adopted.push({ epoch, at: time })
    if (msg !== 'request') continue
    const index = adopted.findLastIndex((one) => one.epoch === epoch)
    const replacedAt = adopted[index + 1]?.at ?? Number.POSITIVE_INFINITY
    requests.push({ line, hasOwnEpoch: index >= 0 && replacedAt >= findArrival(line) - toleranceMs })
  }
  return requests
}

const countBy = (values: readonly string[]) => {
  const counts: Record<string, number> = {}
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1
  return counts
}

const isDecidedBy = (model: RoutingModel, line: LogLine, accountId: string) =>
  line.route !== undefined &&
  isLabel(line.route) &&
  model.sideAt(line.epoch ?? 0, line.route, accountId) === findSelectedSide(line)

export const checkRequests = (
  instances: readonly Instance[],
  samples: readonly LoadSample[],
  model: RoutingModel,
): RequestReport => {
  const logged = instances.flatMap((instance) => readRequests(instance.lines()))
  const byId = Map.groupBy(logged, ({ line }) => line.requestId)
  const responses = samples.filter(({ status }) => status !== 0)
  const lineOf = ({ requestId, runtime }: LoadSample) => {
    const [found, ...others] = byId.get(requestId ?? undefined) ?? []
    return found && others.length === 0 && found.line.runtime === runtime ? found.line : null
  }
  const paired = responses.flatMap((sample) => {
    const line = lineOf(sample)
    return line === null ? [] : [{ sample, line }]
  })
  return {
    requests: samples.length,
    native: paired.filter(({ line }) => findSelectedSide(line) === 'native').length,
    aborted: samples.filter(({ status }) => status === 0 || status >= 500).length,
    unlogged: responses.length - paired.length,
    otherEpoch: logged.filter(({ hasOwnEpoch }) => !hasOwnEpoch).length,
    otherSide: paired.filter(({ sample, line }) => !isDecidedBy(model, line, sample.accountId)).length,
    reasons: countBy(paired.map(({ line }) => line.reason ?? 'none')),
  }
}
