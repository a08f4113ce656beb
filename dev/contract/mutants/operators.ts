import type {
  Argument,
  CallExpression,
  Expression,
  Node,
  ObjectExpression,
  TaggedTemplateExpression,
} from 'oxc-parser'
import { listSqlEdits } from './sql-operators.ts'

export interface Replacement {
  readonly operator: string
  readonly text: string
}

type Span = Pick<Node, 'start' | 'end'>
export type TextOf = (node: Span) => string

const swaps = new Map(
  Object.entries({
    '<': '<=',
    '<=': '<',
    '>': '>=',
    '>=': '>',
    '===': '!==',
    '!==': '===',
    '&&': '||',
    '||': '&&',
    '+': '-',
    '-': '+',
    '*': '/',
    '/': '*',
  }),
)

const swappedFunctions = new Map(
  Object.entries({
    eq: 'ne',
    ne: 'eq',
    lt: 'lte',
    lte: 'lt',
    gt: 'gte',
    gte: 'gt',
    asc: 'desc',
    desc: 'asc',
    isNull: 'isNotNull',
    isNotNull: 'isNull',
    inArray: 'notInArray',
    exists: 'notExists',
    notExists: 'exists',
  }),
)

const swappedMethods = new Map(
  Object.entries({
    some: 'every',
    every: 'some',
    leftJoin: 'innerJoin',
    min: 'max',
    max: 'min',
    floor: 'ceil',
    ceil: 'floor',
  }),
)

const droppedMethods: ReadonlySet<string> = new Set([
  'filter',
  'limit',
  'normalize',
  'onConflictDoNothing',
  'orderBy',
  'replace',
  'replaceAll',
  'reverse',
  'slice',
  'sort',
  'toLowerCase',
  'toReversed',
  'toSorted',
  'toUpperCase',
  'trim',
  'where',
])

const roundings: ReadonlySet<string> = new Set(['round', 'floor', 'ceil', 'trunc'])

const change = (operator: string, text: string): Replacement => ({ operator, text })

const without = (text: string, offset: number, items: readonly Span[], index: number) => {
  const item = items[index]
  if (item === undefined) return text
  const next = items[index + 1]
  const previous = items[index - 1]
  const [start, end] = next
    ? [item.start, next.start]
    : previous
      ? [previous.end, item.end]
      : [item.start, item.end]
  return text.slice(0, start - offset) + text.slice(end - offset)
}

const dropEach = (operator: string, node: Span, items: readonly Span[], textOf: TextOf) =>
  items.map((_, index) => change(operator, without(textOf(node), node.start, items, index)))

const wrapEach = (
  operator: string,
  node: Span,
  items: readonly Span[],
  textOf: TextOf,
  wrap: (text: string) => string,
) =>
  items.map((item) => {
    const text = textOf(node)
    return change(
      operator,
      text.slice(0, item.start - node.start) + wrap(textOf(item)) + text.slice(item.end - node.start),
    )
  })

const negate = (condition: string) => `__mutants.sql.not(${condition})`

const mutateFunctionCall = (name: string, node: CallExpression, textOf: TextOf): Replacement[] => {
  const { arguments: terms } = node
  if (name === 'and' || name === 'or')
    return [
      ...dropEach('drop term', node, terms, textOf),
      ...wrapEach('negate term', node, terms, textOf, negate),
      change('logical', `__mutants.sql.${name === 'and' ? 'or' : 'and'}${textOf(node).slice(name.length)}`),
    ]
  const swapped = swappedFunctions.get(name)
  return swapped === undefined
    ? []
    : [
        change(
          name === 'asc' || name === 'desc' ? 'order' : 'comparison',
          `__mutants.sql.${swapped}${textOf(node).slice(name.length)}`,
        ),
      ]
}

const isCallOf = (node: Argument, names: readonly string[]) =>
  node.type === 'CallExpression' && node.callee.type === 'Identifier' && names.includes(node.callee.name)

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
    ...(isMath && roundings.has(name) && only ? [change('drop rounding', textOf(only))] : []),
    ...(swapped === undefined
      ? []
      : [
          change(
            'method',
            textOf({ start: node.start, end: method.start }) +
              swapped +
              textOf({ start: method.end, end: node.end }),
          ),
        ]),
    ...(name === 'where' && only && !isCallOf(only, ['and', 'or'])
      ? wrapEach('negate term', node, given, textOf, negate)
      : []),
    ...(name === 'orderBy' && given.length > 1 ? dropEach('drop order', node, given, textOf) : []),
  ]
}

const mutateCall = (node: CallExpression, textOf: TextOf): Replacement[] => {
  const { callee } = node
  if (callee.type === 'Identifier') return mutateFunctionCall(callee.name, node, textOf)
  if (callee.type !== 'MemberExpression' || callee.computed || callee.property.type !== 'Identifier')
    return []
  return mutateMethodCall(callee.object, callee.property, node, textOf)
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

/** Returns the default in `row?.count ?? 0`, which is never used, because a count always returns a row. */
export const findDefaultOfCount = (node: Node): Expression | null =>
  node.type === 'LogicalExpression' &&
  node.operator === '??' &&
  node.left.type === 'ChainExpression' &&
  node.left.expression.type === 'MemberExpression' &&
  node.left.expression.property.type === 'Identifier' &&
  node.left.expression.property.name === 'count'
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
      const swapped = swaps.get(operator)
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
