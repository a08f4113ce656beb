import type { Reader } from '#db/client/connection.ts'
import { countVisitorsByLink, sumEngagementByLink } from '#db/queries/engagement-by-link.ts'
import { type DaySpan, type ReportSubject, sumEngagementBySource } from '#db/queries/engagement-reports.ts'
import { findLinkNames } from '#db/queries/link-clicks.ts'
import type { ReadPorts } from '../read-ports.ts'
import { createSeries, groupClicksBy, noCounts } from './create-series.ts'

const maxSources = 100

type LinkCounts = Awaited<ReturnType<typeof sumEngagementByLink>>
type Visitors = Awaited<ReturnType<typeof countVisitorsByLink>>
type Clicks = Awaited<ReturnType<typeof createSeries>>['clicks']

const byDescendingClicks = <C extends { readonly clicks: number }>(left: C, right: C) =>
  right.clicks - left.clicks

// A link can have clicks without engagement events, if its page was never loaded.
const createLinkRows = async (links: LinkCounts, visitors: Visitors, clicks: Clicks, read: Reader) => {
  const countsOf = new Map(links.map((link) => [link.linkId, link]))
  const visitorsOf = new Map(visitors.map(({ linkId, uniqueVisitors }) => [linkId, uniqueVisitors]))
  const clicksOf = new Map(groupClicksBy(clicks, 'link').map(({ linkId, clicks }) => [linkId ?? '', clicks]))
  const linkIds = [...new Set([...countsOf.keys(), ...clicksOf.keys()])]
  const nameOf = await findLinkNames(read, linkIds)
  return linkIds.map((linkId) => ({
    ...noCounts,
    name: nameOf.get(linkId) ?? null,
    ...countsOf.get(linkId),
    linkId,
    clicks: clicksOf.get(linkId) ?? 0,
    uniqueVisitors: visitorsOf.get(linkId) ?? 0,
  }))
}

/** Creates the report on the links of one pack or track. */
export const createLinkReport = async (
  ownerId: string,
  subject: ReportSubject,
  span: DaySpan,
  ports: Pick<ReadPorts, 'db' | 'links' | 'log'>,
) => {
  const { read } = ports.db
  const [{ series, totals, clicks }, links, visitors, bySource] = await Promise.all([
    createSeries(ownerId, subject, span, ports),
    sumEngagementByLink(read, subject, span),
    countVisitorsByLink(read, subject, span),
    sumEngagementBySource(read, subject, span, maxSources),
  ])
  return {
    totals: {
      ...totals,
      uniqueVisitors: visitors.reduce((sum, { uniqueVisitors }) => sum + uniqueVisitors, 0),
    },
    byLink: await createLinkRows(
      links.filter(({ linkId }) => linkId !== ''),
      visitors,
      clicks,
      read,
    ),
    bySource,
    byCountry: groupClicksBy(clicks, 'country')
      .map(({ country, clicks }) => ({ country, clicks }))
      .sort(byDescendingClicks),
    series,
  }
}
