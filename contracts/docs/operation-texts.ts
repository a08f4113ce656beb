import type { Label } from '../route-table.ts'
import { analyticsTexts } from './operation-texts/analytics.ts'
import { billingTexts } from './operation-texts/billing.ts'
import { catalogAnalysisTexts } from './operation-texts/catalog-analysis.ts'
import { internalTexts, mediaIntelligenceTexts, webhookTexts } from './operation-texts/deliveries.ts'
import { libraryTexts } from './operation-texts/libraries.ts'
import type { OperationText } from './operation-texts/operation-text.ts'
import { packTexts } from './operation-texts/packs.ts'
import { packLinkTexts, publicTexts } from './operation-texts/sharing.ts'
import { trackTexts } from './operation-texts/tracks.ts'

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
