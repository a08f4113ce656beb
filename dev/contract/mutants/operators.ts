import type { CallExpression, Expression, Node, ObjectExpression, TaggedTemplateExpression } from 'oxc-parser'
import { listSqlEdits } from './sql-operators.ts'

export interface Replacement {
  readonly operator: string
  readonly text: string
}

type Span = Pick<Node, 'start' | 'end'>
export type TextOf = (node: Span) => string

const bothWays = (pairs: string) =>
  pairs.split(', ').flatMap((pair): [string, string][] => {
    const [a = '', b = ''] = pair.split(' ')
    return [
      [a, b],
      [b, a],
    ]
  })

const swappedOperators = new Map(bothWays('< <=, > >=, === !==, && ||, + -, * /'))

const swappedFunctions = new Map([
  ...bothWays('eq ne, lt lte, gt gte, asc desc, isNull isNotNull, exists notExists'),
  ['inArray', 'notInArray'],
])

const swappedMethods = new Map([...bothWays('some every, min max, floor ceil'), ['leftJoin', 'innerJoin']])

const droppedMethods: ReadonlySet<string> = new Set(
  `filter limit normalize onConflictDoNothing orderBy replace replaceAll reverse slice sort toLowerCase toReversed
  toSorted toUpperCase trim where`.split(/\s+/),
)

const change = (operator: string, text: string): Replacement => ({ operator, text })

const replacePart = (node: Span, part: Span, text: string, textOf: TextOf) =>
  textOf({ start: node.start, end: part.start }) + text + textOf({ start: part.end, end: node.end })

const dropEach = (operator: string, node: Span, items: readonly Span[], textOf: TextOf) =>
  items.map((item, index) => {
    const [previous, next] = [items[index - 1], items[index + 1]]
    const part = next
      ? { start: item.start, end: next.start }
      : { start: previous?.end ?? item.start, end: item.end }
    return change(operator, replacePart(node, part, '', textOf))
  })

const negateEach = (node: CallExpression, textOf: TextOf) =>
  node.arguments.map((term) =>
    change('negate term', replacePart(node, term, `__mutants.sql.not(${textOf(term)})`, textOf)),
  )

/** Whether the node calls a function, not a method, with such a name. */
export const isCallOf = (node: Node, names: RegExp): node is CallExpression =>
  node.type === 'CallExpression' && node.callee.type === 'Identifier' && names.test(node.callee.name)

const mutateFunctionCall = (name: string, node: CallExpression, textOf: TextOf): Replacement[] => {
  const { callee, arguments: terms } = node
  const swap = (operator: string, other: string) =>
    change(operator, replacePart(node, callee, `__mutants.sql.${other}`, textOf))
  if (name === 'and' || name === 'or')
    return [
      ...dropEach('drop term', node, terms, textOf),
      ...negateEach(node, textOf),
      swap('logical', name === 'and' ? 'or' : 'and'),
    ]
  const swapped = swappedFunctions.get(name)
  return swapped === undefined ? [] : [swap(/^(?:asc|desc)$/.test(name) ? 'order' : 'comparison', swapped)]
}

const mutateMethodCall = (
  object: Expression,
  method: Span & { readonly name: string },
  node: CallExpression,
  textOf: TextOf,
): Replacement[] => {
  const { name } = method
  const { arguments: given } = node
  const [only] = given
  const isMath = textOf(object) === 'Math'
  const swapped = swappedMethods.get(name)
  return [
    ...(droppedMethods.has(name) && !isMath ? [change(`drop ${name}`, textOf(object))] : []),
    ...(isMath && /^(?:round|floor|ceil|trunc)$/.test(name) && only
      ? [change('drop rounding', textOf(only))]
      : []),
    ...(swapped === undefined ? [] : [change('method', replacePart(node, method, swapped, textOf))]),
    ...(name === 'where' && only && !isCallOf(only, /^(?:and|or)$/) ? negateEach(node, textOf) : []),
    ...(name === 'orderBy' && given.length > 1 ? dropEach('drop order', node, given, textOf) : []),
  ]
}

/** Returns the method that a call calls, and its object; null if it calls a function. */
export const methodOf = (node: Node) =>
  node.type === 'CallExpression' &&
  node.callee.type === 'MemberExpression' &&
  !node.callee.computed &&
  node.callee.property.type === 'Identifier'
    ? { object: node.callee.object, method: node.callee.property, given: node.arguments }
    : null

const mutateCall = (node: CallExpression, textOf: TextOf): Replacement[] => {
  if (node.callee.type === 'Identifier') return mutateFunctionCall(node.callee.name, node, textOf)
  const called = methodOf(node)
  return called ? mutateMethodCall(called.object, called.method, node, textOf) : []
}

const isNullField = (field: ObjectExpression['properties'][number]) =>
  field.type === 'Property' && field.value.type === 'Literal' && field.value.raw === 'null'

// In an inserted row, dropping a null field changes nothing: a missing column is null.
const mutateObject = (node: ObjectExpression, textOf: TextOf, isInserted: boolean): Replacement[] =>
  node.properties.length === 1
    ? [change('drop field', '{}')]
    : dropEach('drop field', node, node.properties, textOf).filter(
        (_, index) => !(isInserted && node.properties.slice(index, index + 1).some(isNullField)),
      )

const unchangeable = '\u00a7'
const maskLiterals = (text: string) =>
  text.replaceAll(/'[^']*'/g, (literal) => unchangeable.repeat(literal.length))

const mutateSql = (node: TaggedTemplateExpression, textOf: TextOf): Replacement[] => {
  const text = textOf(node)
  let masked = ''
  // Expressions inside the template are masked, because they are mutated separately. The `+ 1` skips the backtick or
  // brace in front of each piece of text.
  for (const { start, value } of node.quasi.quasis)
    masked = masked.padEnd(start - node.start + 1, unchangeable) + value.raw
  return listSqlEdits(maskLiterals(masked)).map((edit) =>
    change(`sql ${edit.operator}`, text.slice(0, edit.start) + edit.text + text.slice(edit.end)),
  )
}

const mutateNumber = (value: number): Replacement[] =>
  Number.isInteger(value)
    ? [change('number', String(value + 1)), ...(value > 0 ? [change('number', String(value - 1))] : [])]
    : []

const isText = ({ type }: Expression, text: string) =>
  type === 'TemplateLiteral' || (type === 'Literal' && text.startsWith("'"))

/** The name of a variable, or of a property of any object. */
export const lastNameOf = (node: Node) => {
  const name = node.type === 'MemberExpression' ? node.property : node
  return name.type === 'Identifier' ? name.name : ''
}

/** Returns the default in `row?.count ?? 0`, which is never used, because a count always returns a row. */
export const findDefaultOfCount = (node: Node): Expression | null =>
  node.type === 'LogicalExpression' &&
  node.operator === '??' &&
  node.left.type === 'ChainExpression' &&
  lastNameOf(node.left.expression) === 'count'
    ? node.right
    : null

/** Lists the faults of one expression, without those of the expressions inside it. */
export const mutateExpression = (
  node: Node,
  textOf: TextOf,
  { isInserted }: { readonly isInserted: boolean },
): Replacement[] => {
  switch (node.type) {
    case 'BinaryExpression':
    case 'LogicalExpression': {
      const { left, right, operator } = node
      if (left.type === 'PrivateIdentifier' || findDefaultOfCount(node)) return []
      const [a, b] = [textOf(left), textOf(right)]
      // Dropping `?? null` changes nothing, because callers only ask whether a row was found.
      if (operator === '??')
        return left.type === 'Identifier' && b === 'null' ? [] : [change('drop default', a)]
      const swapped = swappedOperators.get(operator)
      if (swapped === undefined || (operator === '+' && (isText(left, a) || isText(right, b)))) return []
      const isTerm = node.type === 'LogicalExpression'
      return [
        change(isTerm ? 'logical' : 'operator', `(${a}) ${swapped} (${b})`),
        ...(isTerm ? [change('drop term', a), change('drop term', b)] : []),
      ]
    }
    case 'ConditionalExpression':
      return [change('conditional', textOf(node.consequent)), change('conditional', textOf(node.alternate))]
    case 'UnaryExpression':
      return node.operator === '!' ? [change('negation', textOf(node.argument))] : []
    case 'CallExpression':
      return mutateCall(node, textOf)
    case 'ObjectExpression':
      return mutateObject(node, textOf, isInserted)
    case 'TaggedTemplateExpression':
      return textOf(node.tag) === 'sql' ? mutateSql(node, textOf) : []
    case 'Literal':
      if (typeof node.value === 'number') return mutateNumber(node.value)
      return typeof node.value === 'boolean' ? [change('boolean', String(!node.value))] : []
    default:
      return []
  }
}
