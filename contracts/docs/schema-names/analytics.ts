import * as z from 'zod'
import * as events from '../../analytics.events.ts'
import * as packs from '../../analytics.packs.ts'
import * as tracks from '../../analytics.tracks.ts'
import * as analytics from '../../analytics.ts'
import { Counts, linkReport, Series } from '../../shared/analytics.ts'

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
