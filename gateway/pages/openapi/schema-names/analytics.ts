import * as z from 'zod'
import * as events from '#contracts/analytics.events.ts'
import * as packs from '#contracts/analytics.packs.ts'
import * as tracks from '#contracts/analytics.tracks.ts'
import * as analytics from '#contracts/analytics.ts'
import { Counts, Series } from '#contracts/shared/analytics.ts'
import { linkReport } from '#contracts/shared/link-report.ts'

export const analyticsNames = {
  Counts,
  CountsOfDay: Series.element,
  AnalyticsOverview: analytics.overview.responses[200],
  CountsWithVisitors: linkReport.totals,
  CountsOfLink: linkReport.byLink.element,
  CountsOfSource: linkReport.bySource.element,
  ClicksOfCountry: linkReport.byCountry.element,
  LinkAnalytics: z.object(linkReport),
  PackAnalytics: packs.detail.responses[200],
  TrackAnalytics: tracks.detail.responses[200],
  EngagementEvent: events.EngagementEvent,
  EngagementEventPage: events.list.responses[200],
}
