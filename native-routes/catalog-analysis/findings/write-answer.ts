import type { CatalogAnalysis } from './analyse-catalog.ts'
import { escapeMarkdown } from './escape-markdown.ts'

const mostSevere = 5

/** The text of an analysis without a model, as Markdown. */
export const writeAnswer = (_question: string, { findings, totals }: CatalogAnalysis): string => {
  const count = Object.values(totals).reduce((sum, total) => sum + total, 0)
  if (count === 0) return 'Nothing in your catalogue needs attention.'
  const lines = findings
    .slice(0, mostSevere)
    .map(({ subject, message, action }) => `- ${escapeMarkdown(subject.title)}: ${message} ${action}`)
  return [`Your catalogue has ${count} findings. The most severe:`, '', ...lines].join('\n')
}
