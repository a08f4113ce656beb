import * as z from 'zod'
import type { DaySpan } from '#db/queries/analytics/engagement-reports.ts'
import type { ClickCount } from '#db/queries/analytics/link-clicks.ts'
import type { LinkRef } from '#native-routes/link-tracking.ts'
import { dayMs } from '#shared/durations.ts'

// Dub groups longer spans by month instead of by day.
const maxSpanDays = 90

const clicks = z.int().min(0)
const Days = z.array(z.object({ start: z.string().regex(/^\d{4}-\d{2}-\d{2}/), clicks }))
const Links = z.array(z.object({ id: z.string(), clicks }))
const Countries = z.array(z.object({ country: z.string(), clicks }))

const formatDate = (timestamp: number) => new Date(timestamp).toISOString().slice(0, 10)

export const splitSpan = ({ from, to }: DaySpan): DaySpan[] => {
  const last = Date.parse(to)
  const spans = []
  for (let first = Date.parse(from); first <= last; first += maxSpanDays * dayMs)
    spans.push({ from: formatDate(first), to: formatDate(Math.min(first + (maxSpanDays - 1) * dayMs, last)) })
  return spans
}

interface ClickResponses {
  readonly days: unknown
  readonly links: unknown
  readonly countries: unknown
}

const sumBy = <K, T extends { readonly clicks: number }>(entries: readonly T[], keyOf: (entry: T) => K) => {
  const sums = new Map<K, number>()
  for (const entry of entries) sums.set(keyOf(entry), (sums.get(keyOf(entry)) ?? 0) + entry.clicks)
  return [...sums].filter(([, sum]) => sum > 0)
}

const extractLinkId = (ref: LinkRef) => ref.slice(ref.indexOf(':') + 1)

const noGroup = { day: null, linkId: null, country: null }

/** `refOf` maps Dub's link ids to ours. */
export const readClickCounts = (
  { days, links, countries }: ClickResponses,
  refOf: ReadonlyMap<string, LinkRef>,
): ClickCount[] => {
  const knownLinks = Links.parse(links).flatMap(({ id, clicks }) => {
    const ref = refOf.get(id)
    return ref === undefined ? [] : [{ linkId: extractLinkId(ref), clicks }]
  })
  return [
    ...sumBy(Days.parse(days), ({ start }) => start.slice(0, 10)).map(
      ([day, clicks]) => ({ ...noGroup, by: 'day', day, clicks }) as const,
    ),
    ...sumBy(knownLinks, ({ linkId }) => linkId).map(
      ([linkId, clicks]) => ({ ...noGroup, by: 'link', linkId, clicks }) as const,
    ),
    ...sumBy(Countries.parse(countries), ({ country }) => (/^[A-Z]{2}$/.test(country) ? country : null)).map(
      ([country, clicks]) => ({ ...noGroup, by: 'country', country, clicks }) as const,
    ),
  ]
}
