/** Mutants of the trusted path: at least one for each line on which a guarantee depends, with the tests that must fail. */

/** A change in one place of the client's sources. */
export interface Mutant {
  readonly name: string;
  /** Below client/src. */
  readonly file: string;
  readonly line: string;
  readonly becomes: string;
}

/** The code of its file with the mutant in it. */
export function mutated(code: string, { file, line, becomes }: Mutant): string {
  if (code.split(line).length !== 2) throw new Error(`expected once in ${file}: ${line}`);
  return code.replace(line, () => becomes);
}

const of =
  (file: string) =>
  (name: string, line: string, becomes: string): Mutant => ({ name, file, line, becomes });
const ledger = of('ledger/ledger.ts');
const epochs = of('ledger/epochs.ts');
const otherwise = of('otherwise.ts');
const record = of('record.ts');
const slots = of('slots.ts');
const outbox = of('outbox.ts');
const state = of('ledger/state.ts');
const decision = of('ledger/decision.ts');
const store = of('store.ts');
const spill = of('spill.ts');
const sender = of('sender.ts');
const telemetry = of('telemetry.ts');

export const MUTANTS: readonly Mutant[] = [
  ledger('a slot is always free', '!(nextDay(metric, account, today, budget, epochs) <= today)', 'false'),
  ledger('a slot is free a day early', 'account.day + DAYS[metric.every])', 'account.day + DAYS[metric.every] - 1)'),
  epochs('no silent window between epochs', 'open : Math.max(open, account.day + DAYS[per])', 'open : open'),
  epochs('an epoch never ends', '&& today < epoch.day + DAYS[metric.permanent.renew] ? epoch', '? epoch'),
  epochs(
    'an epoch lasts a day longer',
    'today < epoch.day + DAYS[metric.permanent.renew]',
    'today <= epoch.day + DAYS[metric.permanent.renew]',
  ),
  epochs('an epoch outlives its law', 'epoch.law === lawText(metric)', 'true'),
  epochs('an epoch is not kept', 'const epoch = running(metric, before?.epoch, today);', 'const epoch = undefined as Epoch | undefined;'),
  ledger('a period that nobody knows', 'return days > 0 && ', 'return '),
  ledger('what was spent is forgotten', 'const spent = (account?.spent ?? [])', 'const spent = ([] as readonly Spending[])'),
  ledger('what was spent is forgotten a day early', '!(spending.day + days <= today)', '!(spending.day + days <= today + 1)'),
  epochs('what an epoch followed is replaced', ' || spending.day < epoch.day', ''),
  epochs(
    'budgets are not compared',
    'const isReplaced = spending.budget.epsilon === last?.budget.epsilon && spending.budget.per === last.budget.per;',
    'const isReplaced = true;',
  ),
  epochs('budgets are compared by their ε alone', ' && spending.budget.per === last.budget.per;', ';'),
  epochs('budgets are compared by their period alone', 'spending.budget.epsilon === last?.budget.epsilon && ', ''),
  ledger('an epoch spends what a report spends', 'epsilon: permanent?.epsilon ?? epsilon, budget', 'epsilon, budget'),
  ledger('a claim is dated before today', 'const plain = { day: today,', 'const plain = { day: today - 1,'),
  ledger('what is spent is dated before today', 'budget, day: today }] }', 'budget, day: today - 1 }] }'),
  ledger(
    'a claim does not keep what it spent',
    'spent: [...spent, { epsilon: permanent?.epsilon ?? epsilon, budget, day: today }]',
    'spent',
  ),
  ledger('another id', 'by: id,', "by: '',"),
  otherwise('no place for an answer', 'answered: 0, before', 'answered: 1, before'),
  ledger('a new account is not counted', '{ ...accounts, [name]: claimed }', '{ ...accounts }'),
  ledger('only the metric itself is counted', '{ ...accounts, [name]: claimed }', '{ [name]: claimed }'),
  ledger('the sum is not compared', 'fits(charges, limit) ? claimed', 'true ? claimed'),
  ledger('windows of other versions are not kept', 'epsilon = Math.min(epsilon, length < reach ? 0 : promised.epsilon);', ''),
  ledger('shorter windows do not hold back a longer one', 'length < reach ? 0 : promised.epsilon', 'promised.epsilon'),
  ledger("windows are as long as today's", '      if (length > DAYS[per]) per = promised.per;\n', ''),
  ledger('windows end a day early', 'day + Math.max(reach, length) > today', 'day + Math.max(reach, length) > today + 1'),
  ledger('spending leaves the window a day early', 'epsilon > 0 && day + days > today', 'epsilon > 0 && day + days > today + 1'),

  record(
    'each report of an epoch draws a fresh first stage',
    'reportOf(path, asked, account.epoch?.symbol, since)',
    'reportOf(path, asked, account.epoch && asked.symbol, since)',
  ),
  record('a claim is not kept', '  state.accounts[asked.metric] = account;\n', ''),
  record(
    'a refused claim is a report',
    "if (typeof account === 'string') return account;",
    "if (typeof account === 'string') return reportOf(path, asked, undefined, since);",
  ),
  slots('a slot has no day', 'slot ? state.day : undefined', 'undefined'),
  otherwise('another answer is replaced', 'account?.answered !== 0 || ', '!account || '),
  otherwise(
    'an answer without a report',
    'const batch = state.outbox.find(({ schema, reports }) => reports.some(isHere) && schema === path.wire);',
    'const batch = state.outbox.find(({ schema, reports }) => reports.some(isHere) && schema === path.wire) ?? { reports: [] as Report[] };',
  ),
  otherwise('an answer after its slot', ' || !(state.day < account.day + DAYS[every])', ''),
  otherwise("another slot's report is replaced", 'metric === asked.metric && since === account?.day', 'metric === asked.metric'),
  otherwise("another metric's report is replaced", 'metric === asked.metric && since === account?.day', 'since === account?.day'),
  otherwise('an answer begins every epoch again', 'account.epoch?.day === account.day ? {', 'account.epoch ? {'),
  otherwise('an answer never begins an epoch', 'account.epoch?.day === account.day ? {', 'false ? {'),
  otherwise(
    'an answer of an epoch is its own',
    'reportOf(path, asked, epoch?.symbol, account.day)',
    'reportOf(path, asked, asked.symbol, account.day)',
  ),
  otherwise(
    'an answer is added',
    '(isHere(old) ? report : old)',
    '(isHere(old) ? report : old)).concat(batch.reports.some(isHere) ? [report] : []',
  ),
  otherwise('an answer leaves its slot open', 'by: asked.id, answered: 1 }', 'by: asked.id, answered: 0 }'),
  otherwise('an answer is not written into the account', '  state.accounts[asked.metric] = next;\n', ''),

  slots('an answer is claimed again by its id', 'account?.by === entry.id || ', ''),
  slots('an answer of the slot before is claimed again', ' || account?.before === entry.id', ''),
  slots(
    'an answer recorded in a taken slot claims a later one',
    "isTaken(device, state, entry.metric, entry.day) ? 'already-answered' : open",
    'open',
  ),
  slots('an old answer claims a later slot', "if ((account?.day as number) > entry.day) return 'already-answered';", ''),
  spill('an answer stays in the spill', 'at(answer).id === answer.id && write(keyOf(answer), { day: answer.day })', 'answer'),
  store('a refusal is not spilled', 'if (answer === DENIED) spill.decision(mark(made));', ''),
  telemetry('what is spilled is not claimed', 'claim(left), (isDone)', 'claim(), (isDone)'),
  spill('the order in the spill tells of a hidden record', '          .sort()\n', ''),
  spill('each answer of a slot is spilled', '(at(answer).day as number) + days > answer.day ||', ''),
  spill('each answer without a day is spilled', '!(answer.day > 0) ||', ''),
  telemetry('each version of a metric spills an answer', "'?' : '') + metric", "'?' : '') + wire + metric"),
  telemetry("an answer in place of `otherwise` takes another's place", "(isHidden ? '?' : '') + metric", 'metric'),
  spill(
    'an answer is spilled again once its slot was claimed',
    'write(keyOf(answer), { day: answer.day })',
    'items.removeItem(keyOf(answer))',
  ),
  slots('each day of an epoch spills a symbol', 'questions[name]?.epochs?.days(metric, budget.per) ?? DAYS', 'DAYS'),
  telemetry(
    'an answer is not spilled',
    'if (hasAgreed()) for (const entry of entries) spill.keep(entry, slotDays(device, entry.metric));',
    '',
  ),
  telemetry(
    'an answer is not spilled where another waits',
    'void Promise.resolve().then(() => (isHidden',
    'if (pending.length === 1) void Promise.resolve().then(() => (isHidden',
  ),
  telemetry('an answer is spilled before the person agrees', 'if (hasAgreed()) for', 'for'),
  telemetry('a hidden record causes a transaction', '!pending.every(hides) && claim()', 'pending.length > 0 && claim()'),
  telemetry('a hidden record makes a transaction begin earlier', '(isHidden ? keep(pending.filter(hides)) : commit())', 'commit()'),
  telemetry('a hidden record is not claimed by a flush', 'isAll || hides(entry)', 'isAll'),

  state('no checksum', 'state.v !== VERSION || text !== stateText(state)', 'false'),
  outbox('a batch that was sent takes more', "    batch.by = '';\n", ''),
  outbox('batches that others began take more', 'each.by === by || ', ''),
  outbox('reports that are sent alone share a batch', '        !isAlone &&\n', ''),
  outbox('a limit moves the dates of reports that are sent alone', 'isAlone ? NEVER : device.perDay', 'device.perDay'),
  outbox('no quiet time', 'now() + 1_000 * uniform(LONGEST_QUIET)', 'now()'),
  outbox('the quiet time holds nothing back that waits', 'isNext ? state.quiet : old.notBefore', 'old.notBefore'),
  outbox('the quiet time holds nothing back that comes later', 'isAlone ? state.quiet : device.now()', 'device.now()'),
  outbox('a response ends the quiet time', 'Math.max(state.quiet, Math.min(batch.notBefore', 'Math.max(0, Math.min(batch.notBefore'),
  outbox('a quiet time is not begun again', ' && until(state.quiet, device) <= 0;', ' && state.quiet === 0;'),
  outbox('a time far ahead stays due', 'due.includes(batch) ? 0 : batch.notBefore', 'batch.notBefore'),
  outbox('a version that sends together sends all that waited alone', ' || !(old.by || old.tries)', ''),
  store('a failed transaction is done', 'isKept ? text : undefined', 'undefined'),
  store('a refusal leaves the outbox', 'if (refusal & DENIED && refusal >= state.decision) erase(device, state);', ''),
  store('a deleted database forgets what this page has spent', 'state.decision >> 2 <= store.view.decision >> 2', 'false'),
  store('a page puts back what was forgotten', 'state.decision >> 2 <= store.view.decision >> 2', 'true'),
  store(
    'a page puts back what was forgotten, once it has heard of it',
    'state.decision >> 2 <= store.view.decision >> 2',
    'state.decision >> 2 <= decision >> 2',
  ),
  store('a missing note is no refusal', '!!noted && isNoted === false', 'false'),
  store('a missing note does not hold back a claim', "=== 'granted' && !isMissing(state);", "=== 'granted';"),
  store('nobody looks for the note after a transaction', 'const isRefused = isMissing(state);', 'const isRefused = false;'),
  store('a note that is found is not known', 'state.noted = isNoted;', '{}'),
  store('a refusal leaves the note', 'void attempt(() => storage.agreed?.(name, answer === GRANTED));', ''),
  store('a note that a refusal erased is written again', ' && !state.noted && isNoted === false', ' && isNoted === false'),
  store('what a refusal finds claimed stays', 'if (isRefused) void store.change(() => {});', ''),
  store('a page that was left goes on', 'if (isAway()) throw name;', ''),
  store('a deleted ledger is a new one', 'stored || last > 0 ?', 'stored ?'),
  store('only the page remembers a deleted ledger', 'Math.max(spill.spent(), lastDay(store.view))', 'lastDay(store.view)'),
  store('only the spill remembers a deleted ledger', 'Math.max(spill.spent(), lastDay(store.view))', 'spill.spent()'),
  store('claims are not remembered', '              spill.spent(lastDay(state));\n', ''),
  store('each deletion extends the window', 'stored ? Math.max(last, device.today()) : last', 'device.today()'),
  store('an agreement outlives its ledger', 'known & DENIED ? DENIED : 0)', 'known & DENIED ? DENIED : answerOf(known))'),
  store("the spill's decision is not read", 'const known = Math.max(decision, spill.decision());', 'const known = decision;'),
  store('a context does not join what is stored', 'decision = Math.max(decision, made);', 'decision = decision < 0 ? made : decision;'),
  store('decisions do not count', 'next(Math.max(decision, spill.decision()), answer)', 'next(0, answer)'),
  store('a write that fails tells of a hidden record', '(text !== stored || (isWritten && isGranted))', 'text !== stored'),
  decision('a tie is agreed to', 'GRANTED = 1;', 'GRANTED = 3;'),
  decision('an agreement is remembered beside the ledger', 'decision & ~GRANTED', 'decision'),
  decision('decisions are as new as each other', '(decision | 3) + 1 + answer', '4 + answer'),
  telemetry('what a transaction may still change is sent', 'isActive() && writing === 0', 'isActive()'),
  sender('nobody asks whether the person agrees', 'isGranted ? seal(device, state) : []', 'seal(device, state)'),
  telemetry('a refusal erases nothing', '      erase(device, state);\n', ''),
  telemetry('forgetting forgets what is spent', 'spentState(document, state.accounts, state.day), {', '{ accounts: {} }, {'),
];
