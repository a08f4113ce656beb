import axe, { type AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'

/** Lists what prevents or seriously hinders the use of a page: each broken rule with its elements' selectors. */
export const listAxeViolations = async (page: Page): Promise<readonly string[]> => {
  await page.evaluate(axe.source)
  // Passed as text, because Vitest renames imports in functions.
  const { violations } = await page.evaluate<AxeResults>('axe.run()')
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`)
}
