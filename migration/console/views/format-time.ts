import { html } from 'hono/html'

const units = [
  { seconds: 86_400, name: 'd' },
  { seconds: 3600, name: 'h' },
  { seconds: 60, name: 'min' },
] as const

/** Formats an age in whole units: `3 min ago`. */
export const formatAge = (ageMs: number): string => {
  const seconds = Math.floor(Math.abs(ageMs) / 1000)
  const unit = units.find((each) => seconds >= each.seconds)
  const amount = unit ? `${Math.floor(seconds / unit.seconds)} ${unit.name}` : `${seconds} s`
  return ageMs < 0 ? `in ${amount}` : `${amount} ago`
}

/** Shows how long ago something happened, with the exact time on hover. */
export const renderTime = (at: string, now: number = Date.now()) => {
  const exact = new Date(at)
    .toISOString()
    .replace('T', ' ')
    .replace(/\.\d+Z$/, ' UTC')
  return html`<time datetime="${at}" title="${exact}">${formatAge(now - Date.parse(at))}</time>`
}
