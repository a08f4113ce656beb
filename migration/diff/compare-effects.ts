import { absent, type Findings, locationAt } from './findings.ts'
import type { RecordedResponse } from './recorded-response.ts'
import { shown } from './shape.ts'

const timesOf = (effects: readonly string[]) => {
  const times = new Map<string, number>()
  for (const effect of effects) times.set(effect, (times.get(effect) ?? 0) + 1)
  return times
}

/** Compares how often each event was recorded, where both sides were listened to. */
export const compareEffects = (found: Findings, native: RecordedResponse, core: RecordedResponse) => {
  if (!native.effects || !core.effects) return
  const [ours, theirs] = [timesOf(native.effects), timesOf(core.effects)]
  for (const name of new Set([...theirs.keys(), ...ours.keys()])) {
    const place = locationAt(`effects.${name}`)
    const [once, other] = [ours.get(name) ?? absent, theirs.get(name) ?? absent]
    if (once !== other) found.add('effect', place, once, other, shown)
  }
}
