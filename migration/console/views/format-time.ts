import { html } from 'hono/html'

const units = [
  { seconds: 86_400, name: 'd' },
  { seconds: 3600, name: 'h' },
  { seconds: 60, name: 'min' },
] as const

/** `3 min ago`, in whole units. */
export const formatAge = (ageMs: number): string => {
  const seconds = Math.floor(Math.abs(ageMs) / 1000)
  const unit = units.find((each) => seconds >= each.seconds)
  const amount = unit ? `${Math.floor(seconds / unit.seconds)} ${unit.name}` : `${seconds} s`
  return ageMs < 0 ? `in ${amount}` : `${amount} ago`
}

/** How long ago a time is, with the exact time on hover. */
export const renderTime = (at: string, now: number = Date.now()) => {
  const exact = new Date(at)
    .toISOString()
    .replace('T', ' ')
    .replace(/\.\d+Z$/, ' UTC')
  return html`<time datetime="${at}" title="${exact}">${formatAge(now - Date.parse(at))}</time>`
}
