import * as z from 'zod'
import type { DaySpan } from '#db/queries/engagement-reports.ts'
import type { ClickCount } from '#db/queries/link-clicks.ts'
import type { LinkRef } from '#native-routes/link-tracking.ts'

const dayMs = 86_400_000
// Beyond half a year the provider counts by months.
const readableDays = 90

const clicks = z.int().min(0)
const Days = z.array(z.object({ start: z.string().regex(/^\d{4}-\d{2}-\d{2}/), clicks }))
const Links = z.array(z.object({ id: z.string(), clicks }))
const Countries = z.array(z.object({ country: z.string(), clicks }))

const dateOf = (moment: number) => new Date(moment).toISOString().slice(0, 10)

/** The parts of a span that are short enough for the provider to count them by days. */
export const readableSpans = ({ from, to }: DaySpan): DaySpan[] => {
  const last = Date.parse(to)
  const spans = []
  for (let first = Date.parse(from); first <= last; first += readableDays * dayMs)
    spans.push({ from: dateOf(first), to: dateOf(Math.min(first + (readableDays - 1) * dayMs, last)) })
  return spans
}

/** What the provider answered, by what it was asked to count. */
interface Counted {
  readonly days: unknown
  readonly links: unknown
  readonly countries: unknown
}

// An hour's clicks are part of its day's, and all that come from nowhere known are one.
const sumBy = <K, T extends { readonly clicks: number }>(counted: readonly T[], keyOf: (entry: T) => K) => {
  const sums = new Map<K, number>()
  for (const entry of counted) sums.set(keyOf(entry), (sums.get(keyOf(entry)) ?? 0) + entry.clicks)
  return [...sums].filter(([, sum]) => sum > 0)
}

const idOf = (ref: LinkRef) => ref.slice(ref.indexOf(':') + 1)

const none = { day: null, linkId: null, country: null }

/** What the provider counted, as this service counts; `refOf` is by the provider's own ids. */
export const readClickCounts = (
  { days, links, countries }: Counted,
  refOf: ReadonlyMap<string, LinkRef>,
): ClickCount[] => {
  const ours = Links.parse(links).flatMap(({ id, clicks }) => {
    const ref = refOf.get(id)
    return ref === undefined ? [] : [{ linkId: idOf(ref), clicks }]
  })
  return [
    ...sumBy(Days.parse(days), ({ start }) => start.slice(0, 10)).map(
      ([day, clicks]) => ({ ...none, by: 'day', day, clicks }) as const,
    ),
    ...sumBy(ours, ({ linkId }) => linkId).map(
      ([linkId, clicks]) => ({ ...none, by: 'link', linkId, clicks }) as const,
    ),
    ...sumBy(Countries.parse(countries), ({ country }) => (/^[A-Z]{2}$/.test(country) ? country : null)).map(
      ([country, clicks]) => ({ ...none, by: 'country', country, clicks }) as const,
    ),
  ]
}
