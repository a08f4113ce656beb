import { distance } from 'fastest-levenshtein'

const maxNearest = 3
// Comparing a very long text would be slow. The longest label has 40 characters.
const maxComparedLength = 64

export const listNearest = (text: string, names: readonly string[]): readonly string[] => {
  const compared = text.slice(0, maxComparedLength)
  return names
    .map((name) => ({ name, edits: distance(compared, name) }))
    .toSorted((left, right) => left.edits - right.edits)
    .slice(0, maxNearest)
    .map(({ name }) => name)
}
