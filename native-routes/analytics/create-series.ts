import type * as z from 'zod'
import type { Counts } from '#contracts/shared/analytics.ts'
import {
  type DaySpan,
  type ReportSubject,
  sumEngagementByDay,
} from '#db/queries/analytics/engagement-reports.ts'
import { type ClickCount, countClicks, listLinkIds } from '#db/queries/analytics/link-clicks.ts'
import type { LinkRef, LinkTracking } from '../link-tracking.ts'
import type { ReadPorts } from '../ports.ts'
import { listDays } from './day-span.ts'

type ClickPorts = Pick<ReadPorts, 'db' | 'links' | 'log'>

const listLinkRefs = async ({ kind, id }: ReportSubject, { db }: ClickPorts): Promise<LinkRef[] | null> => {
  if (kind === 'owner') return null
  const linkIds = await listLinkIds(db.read, { kind, id })
  return linkIds.map((linkId): LinkRef => `${kind}_link:${linkId}`)
}

const countClicksAtProvider = async (
  tracking: Pick<LinkTracking, 'countClicks'>,
  ownerId: string,
  refs: LinkRef[] | null,
  span: DaySpan,
  { log }: ClickPorts,
) => {
  try {
    return await tracking.countClicks(ownerId, refs, span)
  } catch {
    log.warn({}, 'link provider clicks unavailable, using webhook clicks')
    return null
  }
}

/**
 * Returns the link provider's counts of the clicks on a subject's links. If no provider is configured, or it fails or
 * knows none of the links, returns the clicks that arrived by webhook. The two counts are never added together.
 */
const findClickCounts = async (
  ownerId: string,
  subject: ReportSubject,
  span: DaySpan,
  ports: ClickPorts,
): Promise<readonly ClickCount[]> => {
  const { tracking } = ports.links
  const clicks =
    tracking &&
    (await countClicksAtProvider(tracking, ownerId, await listLinkRefs(subject, ports), span, ports))
  return clicks ?? countClicks(ports.db.read, ownerId, subject, span)
}

type EngagementCounts = z.infer<typeof Counts>
type ClickCounts = readonly ClickCount[]

export const noCounts: EngagementCounts = { views: 0, plays: 0, downloads: 0, shares: 0, clicks: 0 }

const sum = (left: EngagementCounts, right: EngagementCounts): EngagementCounts => ({
  views: left.views + right.views,
  plays: left.plays + right.plays,
  downloads: left.downloads + right.downloads,
  shares: left.shares + right.shares,
  clicks: left.clicks + right.clicks,
})

export const groupClicksBy = (clicks: ClickCounts, by: 'day' | 'link' | 'country') =>
  clicks.filter((count) => count.by === by)

export const createSeries = async (
  ownerId: string,
  subject: ReportSubject,
  span: DaySpan,
  ports: Pick<ReadPorts, 'db' | 'links' | 'log'>,
) => {
  const [days, clicks] = await Promise.all([
    sumEngagementByDay(ports.db.read, subject, span),
    findClickCounts(ownerId, subject, span, ports),
  ])
  const countsOn = new Map(days.map(({ day, ...counts }) => [day, counts]))
  const clicksOn = new Map(groupClicksBy(clicks, 'day').map(({ day, clicks }) => [day, clicks]))
  const series = listDays(span).map((date) => ({
    ...noCounts,
    ...countsOn.get(date),
    clicks: clicksOn.get(date) ?? 0,
    date,
  }))
  return { series, totals: series.reduce(sum, noCounts), clicks }
}
