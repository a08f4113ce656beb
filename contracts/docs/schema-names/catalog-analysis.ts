import * as threads from '../../catalog-analysis.threads.ts'
import { Analysis, ask } from '../../catalog-analysis.ts'
import { Citation, Finding } from '../../shared/catalog-findings.ts'

const page = threads.list.responses[200]
const thread = threads.detail.responses[200]
const message = thread.shape.messages.element

export const catalogAnalysisNames = {
  Question: ask.body,
  Analysis,
  Finding,
  CatalogItem: Citation,
  AnalysisThread: page.shape.records.element,
  AnalysisThreadPage: page,
  AnalysisMessage: message,
  AnalysisThreadWithMessages: thread,
}
