import { analyticsTexts } from '#contracts/docs/operation-texts/analytics.ts'
import { billingTexts } from '#contracts/docs/operation-texts/billing.ts'
import { catalogAnalysisTexts } from '#contracts/docs/operation-texts/catalog-analysis.ts'
import {
  internalTexts,
  mediaIntelligenceTexts,
  webhookTexts,
} from '#contracts/docs/operation-texts/deliveries.ts'
import { libraryTexts } from '#contracts/docs/operation-texts/libraries.ts'
import type { OperationText } from '#contracts/docs/operation-texts/operation-text.ts'
import { packTexts } from '#contracts/docs/operation-texts/packs.ts'
import { packLinkTexts, publicTexts } from '#contracts/docs/operation-texts/sharing.ts'
import { trackTexts } from '#contracts/docs/operation-texts/tracks.ts'
import type { Label } from '#contracts/route-table.ts'

/** The texts of every operation: a row of the route table without any does not compile. */
export const operationTexts: { readonly [L in Label]: OperationText } = {
  ...billingTexts,
  ...trackTexts,
  ...packLinkTexts,
  ...publicTexts,
  ...libraryTexts,
  ...webhookTexts,
  ...mediaIntelligenceTexts,
  ...analyticsTexts,
  ...catalogAnalysisTexts,
  ...internalTexts,
  ...packTexts,
}
