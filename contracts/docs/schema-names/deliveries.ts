import * as mediaIntelligence from '../../media-intelligence.ts'
import * as webhooks from '../../webhooks.ts'

const results = mediaIntelligence.AnalysisResults.shape

export const deliveryNames = {
  BillingEvent: webhooks.billing.body,
  BillingEventResult: webhooks.billing.responses[200],
  LinkEvent: webhooks.links.body,
  LinkEventResult: webhooks.links.responses[200],
  EmailEvent: webhooks.email.body,
  EmailEventResult: webhooks.email.responses[200],
  AnalysisCallback: mediaIntelligence.callback.body,
  AnalysisCallbackResult: mediaIntelligence.callback.responses[200],
  AnalysisResults: mediaIntelligence.AnalysisResults,
  AnalysedTag: results.tags.unwrap().element,
  SeparatedStem: results.stems.unwrap().element,
}
