import { absent, type Findings, locationAt } from './findings.ts'
import type { RecordedResponse } from './recorded-response.ts'
import { unmaskedShape } from './shape.ts'

const countEffects = (effects: readonly string[]) => {
  const counts = new Map<string, number>()
  for (const effect of effects) counts.set(effect, (counts.get(effect) ?? 0) + 1)
  return counts
}

/** Compares how often each side recorded each event. Does nothing unless the events of both sides are known. */
export const compareEffects = (found: Findings, native: RecordedResponse, core: RecordedResponse) => {
  if (!native.effects || !core.effects) return
  const [ours, theirs] = [countEffects(native.effects), countEffects(core.effects)]
  for (const name of new Set([...theirs.keys(), ...ours.keys()])) {
    const location = locationAt(`effects.${name}`)
    const [nativeCount, coreCount] = [ours.get(name) ?? absent, theirs.get(name) ?? absent]
    if (nativeCount !== coreCount) found.add('effect', location, nativeCount, coreCount, unmaskedShape)
  }
}
