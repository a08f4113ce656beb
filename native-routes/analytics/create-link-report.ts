import type { Reader } from '#db/client/connection.ts'
import { countVisitorsByLink, sumEngagementByLink } from '#db/queries/analytics/engagement-by-link.ts'
import {
  type DaySpan,
  type ReportSubject,
  sumEngagementBySource,
} from '#db/queries/analytics/engagement-reports.ts'
import { findLinkNames } from '#db/queries/analytics/link-clicks.ts'
import type { ReadPorts } from '../ports.ts'
import { createSeries, groupClicksBy, noCounts } from './create-series.ts'

const maxSources = 100

type Series = Awaited<ReturnType<typeof createSeries>>

const byDescendingClicks = <C extends { readonly clicks: number }>(left: C, right: C) =>
  right.clicks - left.clicks

// A link can have clicks but no engagement events, if its page never loaded.
const listLinks = async (series: Promise<Series>, subject: ReportSubject, span: DaySpan, read: Reader) => {
  const [links, { clicks }] = await Promise.all([sumEngagementByLink(read, subject, span), series])
  const countsOf = new Map(links.filter(({ linkId }) => linkId !== '').map((link) => [link.linkId, link]))
  const clicksOf = new Map(groupClicksBy(clicks, 'link').map(({ linkId, clicks }) => [linkId ?? '', clicks]))
  const linkIds = [...new Set([...countsOf.keys(), ...clicksOf.keys()])]
  const nameOf = await findLinkNames(read, linkIds)
  return linkIds.map((linkId) => {
    const { views, plays, downloads, shares } = countsOf.get(linkId) ?? noCounts
    const [name, clicks] = [nameOf.get(linkId) ?? null, clicksOf.get(linkId) ?? 0]
    return { linkId, name, views, plays, downloads, shares, clicks, uniqueVisitors: 0 }
  })
}

export const createLinkReport = async (
  ownerId: string,
  subject: ReportSubject,
  span: DaySpan,
  ports: Pick<ReadPorts, 'db' | 'links' | 'log'>,
) => {
  const { read } = ports.db
  const counted = createSeries(ownerId, subject, span, ports)
  // Counting visitors takes longest, so the links' names are read meanwhile.
  const [visitors, { series, totals, clicks }, links, bySource] = await Promise.all([
    countVisitorsByLink(read, subject, span),
    counted,
    listLinks(counted, subject, span, read),
    sumEngagementBySource(read, subject, span, maxSources),
  ])
  const visitorsOf = new Map(visitors.map(({ linkId, uniqueVisitors }) => [linkId, uniqueVisitors]))
  for (const link of links) link.uniqueVisitors = visitorsOf.get(link.linkId) ?? 0
  return {
    totals: {
      ...totals,
      uniqueVisitors: visitors.reduce((sum, { uniqueVisitors }) => sum + uniqueVisitors, 0),
    },
    byLink: links,
    bySource,
    byCountry: groupClicksBy(clicks, 'country')
      .map(({ country, clicks }) => ({ country, clicks }))
      .sort(byDescendingClicks),
    series,
  }
}
