// Optimized: see "GET of 1 KiB, 32 connections" in bench/README.md.
import type { RequestOutcome } from '../request/context.ts'

type SeriesOutcome = Pick<
  RequestOutcome,
  'label' | 'runtime' | 'reason' | 'epoch' | 'fallbackReason' | 'isReplayed' | 'error' | 'unauthorizedReason'
>

/** The fields that the lines of many requests have in common. */
export interface RequestSeries {
  /** Members of a JSON object, in ASCII: `,"method":"GET","route":"packs.list"`. */
  readonly members: string
  /** `members` in bytes. */
  readonly bytes: Uint8Array
}

interface StoredSeries extends SeriesOutcome, RequestSeries {
  readonly method: string
  readonly status: number
}

// Of each route. A route has a few at a time; each change of the routing state creates new ones, with its epoch.
const maxSeries = 64

const encoder = new TextEncoder()

// Nothing has characters that JSON escapes: methods are tokens, the others are our own words.
const formatMembers = (method: string, outcome: SeriesOutcome, status: number) => {
  const { epoch, fallbackReason, error, unauthorizedReason } = outcome
  let members = `,"method":"${method}","route":"${outcome.label}","runtime":"${outcome.runtime}","reason":"${outcome.reason}"`
  if (epoch !== 0) members += `,"epoch":${epoch}`
  if (fallbackReason !== null) members += `,"fallback":true,"fallbackReason":"${fallbackReason}"`
  members += `,"status":${status}`
  if (outcome.isReplayed) members += ',"replayed":true'
  if (error !== undefined) members += `,"error":"${error}"`
  return unauthorizedReason === null ? members : `${members},"unauthorizedReason":"${unauthorizedReason}"`
}

const hasOutcome = (series: StoredSeries, method: string, outcome: SeriesOutcome, status: number) =>
  series.status === status &&
  series.method === method &&
  series.runtime === outcome.runtime &&
  series.reason === outcome.reason &&
  series.epoch === outcome.epoch &&
  series.fallbackReason === outcome.fallbackReason &&
  series.error === outcome.error &&
  series.unauthorizedReason === outcome.unauthorizedReason &&
  series.isReplayed === outcome.isReplayed

/** Creates a function that returns the series of a request, and formats each series once. */
export const createRequestSeries = () => {
  const seriesByRoute = new Map<SeriesOutcome['label'], StoredSeries[]>()

  const addSeries = (method: string, outcome: SeriesOutcome, status: number) => {
    const { label, runtime, reason, epoch, fallbackReason, isReplayed, error, unauthorizedReason } = outcome
    const members = formatMembers(method, outcome, status)
    const bytes = encoder.encode(members)
    const added = {
      label,
      runtime,
      reason,
      epoch,
      fallbackReason,
      isReplayed,
      error,
      unauthorizedReason,
      method,
      status,
      members,
      bytes,
    }
    const present = seriesByRoute.get(label) ?? []
    // First, because those of earlier epochs do not occur again.
    seriesByRoute.set(label, present.length < maxSeries ? [added, ...present] : [added])
    return added
  }

  return (method: string, outcome: SeriesOutcome, status: number): RequestSeries => {
    for (const series of seriesByRoute.get(outcome.label) ?? [])
      if (hasOutcome(series, method, outcome, status)) return series
    return addSeries(method, outcome, status)
  }
}
