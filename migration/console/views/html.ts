import { html } from 'hono/html'
import { routeScopes } from '../../model/route-scope.ts'

export type Html = ReturnType<typeof html>

export const renderEmpty = (missing: string, advice: Html | string) =>
  html`<div class="empty"><p><strong>${missing}</strong></p><p>${advice}</p></div>`

export const renderAlert = (kind: 'warn' | 'bad', content: Html | string) =>
  html`<div class="notice ${kind}"><p>${content}</p></div>`

export const renderProblem = (problem: string) =>
  html`<div class="notice bad" role="alert"><p>${problem}</p></div>`

const evidenceKey = /\b([0-9a-f]{32})\b/

/**
 * Shortens the evidence keys in a sentence, because a whole key is wider than a phone. The whole key appears on hover.
 */
export const renderSentence = (sentence: string) =>
  // Splitting by a capturing group keeps the keys: every second part is a key.
  sentence
    .split(evidenceKey)
    .map((part, index) => (index % 2 === 0 ? part : html`<code title="${part}">${part.slice(0, 8)}</code>`))

export const renderSentences = (sentences: readonly string[]) =>
  sentences.map((sentence) => html`<p>${renderSentence(sentence)}</p>`)

export type BadgeKind = '' | 'good' | 'warn' | 'bad'

export const renderBadge = (text: string, kind: BadgeKind = '') =>
  html`<span class="badge ${kind}">${text}</span>`

export const renderOutcome = (isMet: boolean) =>
  isMet ? renderBadge('met', 'good') : renderBadge('not met', 'bad')

export const renderState = (state: string, text = state) =>
  html`<span class="badge state state-${state}">${text}</span>`

export const renderSide = (side: string) => renderState(side === 'core' ? 'proxy' : side, side)

/** The `*` and `.` in a scope need no escaping. */
export const routePath = (scope: string, rest = '') => `/console/routes/${encodeURIComponent(scope)}${rest}`

export const renderScopeLink = (scope: string) => html`<a href="${routePath(scope)}">${scope}</a>`

/** The suggestions for fields with `list="scopes"`. */
export const renderScopeList = () =>
  html`<datalist id="scopes">${routeScopes.map((scope) => html`<option value="${scope}"></option>`)}</datalist>`

export const renderHidden = (fields: Readonly<Record<string, string | number | undefined>>) =>
  Object.entries(fields).map(([name, value]) =>
    value === undefined ? '' : html`<input type="hidden" name="${name}" value="${value}">`,
  )

export const renderOptions = (
  options: readonly (readonly [value: string, name: string])[],
  selected: string,
) =>
  options.map(
    ([value, name]) =>
      html`<option value="${value}"${value === selected ? html` selected` : ''}>${name}</option>`,
  )

const ageUnits = [
  { seconds: 86_400, name: 'd' },
  { seconds: 3600, name: 'h' },
  { seconds: 60, name: 'min' },
] as const

export const formatAge = (ageMs: number): string => {
  const seconds = Math.floor(Math.abs(ageMs) / 1000)
  const unit = ageUnits.find((each) => seconds >= each.seconds)
  const amount = unit ? `${Math.floor(seconds / unit.seconds)} ${unit.name}` : `${seconds} s`
  return ageMs < 0 ? `in ${amount}` : `${amount} ago`
}

export const renderTime = (at: string) => {
  const exact = new Date(at)
    .toISOString()
    .replace('T', ' ')
    .replace(/\.\d+Z$/, ' UTC')
  return html`<time datetime="${at}" title="${exact}">${formatAge(Date.now() - Date.parse(at))}</time>`
}

/** A `datetime-local` field has no time zone, so its time counts as UTC. Returns any other text unchanged. */
export const toInstant = (text: string) => (/^\d{4}-\d\d-\d\dT\d\d:\d\d$/.test(text) ? `${text}:00Z` : text)
