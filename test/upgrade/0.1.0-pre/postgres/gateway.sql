INSERT INTO "turn" ("seq", "channel", "session", "sequence", "dialogue_id", "merchant_id", "dialler", "operator", "input", "position", "payer", "ussd_ref", "ending", "state", "reply", "screen", "collection_id", "at") OVERRIDING SYSTEM VALUE VALUES
(1, 'africastalking', 'session-2', 1, 'dlg_01kk1602m0ztm8c79q6qwxf6fg', 'demo-shop', '233244123401', 'mtn', null, '', null, null, null, '{"screen":"welcome","language":"en","menu":"eda24a7d32dc14b6"}', 'continue', 'Demo Shop
1. Pay with this number
2. Pay with another number
3. Pay a bill
4. Twi', null, 1772787600000),
(2, 'africastalking', 'session-2', 2, 'dlg_01kk1602m0ztm8c79q6qwxf6fg', 'demo-shop', '233244123401', 'mtn', '1', '1', null, null, null, '{"screen":"amount","language":"en","lastInput":"1","history":["welcome"],"menu":"eda24a7d32dc14b6"}', 'continue', 'Amount in GHS, such as 20 or 20.50:
0. Back', null, 1772787602500),
(3, 'africastalking', 'session-2', 3, 'dlg_01kk1602m0ztm8c79q6qwxf6fg', 'demo-shop', '233244123401', 'mtn', '20', '1*20', null, null, null, '{"screen":"confirm","language":"en","lastInput":"20","answers":{"amountMinor":2000},"history":["welcome","amount"],"menu":"eda24a7d32dc14b6"}', 'continue', 'Pay GHS 20.00 to Demo Shop
from 0244123401?
A fee may apply.
1. Yes
2. No
0. Back', null, 1772787605000),
(4, 'africastalking', 'session-2', 4, 'dlg_01kk1602m0ztm8c79q6qwxf6fg', 'demo-shop', '233244123401', 'mtn', '1', '1*20*1', null, null, null, '{"screen":"done","language":"en","lastInput":"20","answers":{"amountMinor":2000},"menu":"eda24a7d32dc14b6"}', 'end', 'Approve GHS 20.00 to Demo Shop with your PIN.
No prompt? Dial *170#, Wallet, My Approvals', 'col_01kk1609yc9vm28hwdvdy2dhft', 1772787607500),
(5, 'africastalking', 'session-4', 1, 'dlg_01kk160n5r0zqsaj5bd709ah7r', 'demo-shop', '233244123402', 'mtn', null, '', null, null, null, '{"screen":"welcome","language":"en","menu":"eda24a7d32dc14b6"}', 'continue', 'Demo Shop
1. Pay with this number
2. Pay with another number
3. Pay a bill
4. Twi', null, 1772787619000),
(6, 'africastalking', 'session-4', 2, 'dlg_01kk160n5r0zqsaj5bd709ah7r', 'demo-shop', '233244123402', 'mtn', '1', '1', null, null, null, '{"screen":"amount","language":"en","lastInput":"1","history":["welcome"],"menu":"eda24a7d32dc14b6"}', 'continue', 'Amount in GHS, such as 20 or 20.50:
0. Back', null, 1772787621500),
(7, 'africastalking', 'session-4', 3, 'dlg_01kk160n5r0zqsaj5bd709ah7r', 'demo-shop', '233244123402', 'mtn', '20', '1*20', null, null, null, '{"screen":"confirm","language":"en","lastInput":"20","answers":{"amountMinor":2000},"history":["welcome","amount"],"menu":"eda24a7d32dc14b6"}', 'continue', 'Pay GHS 20.00 to Demo Shop
from 0244123402?
A fee may apply.
1. Yes
2. No
0. Back', null, 1772787624000),
(8, 'africastalking', 'session-4', 4, 'dlg_01kk160n5r0zqsaj5bd709ah7r', 'demo-shop', '233244123402', 'mtn', '1', '1*20*1', null, null, null, '{"screen":"done","language":"en","lastInput":"20","answers":{"amountMinor":2000},"menu":"eda24a7d32dc14b6"}', 'end', 'Approve GHS 20.00 to Demo Shop with your PIN.
No prompt? Dial *170#, Wallet, My Approvals', 'col_01kk160wg4nrc1qnvb0ah20jtf', 1772787626500),
(9, 'africastalking', 'session-6', 1, 'dlg_01kk160xz0sqe749gty0r9e0bw', 'demo-shop', '233244123906', 'mtn', null, '', null, null, null, '{"screen":"welcome","language":"en","menu":"eda24a7d32dc14b6"}', 'continue', 'Demo Shop
1. Pay with this number
2. Pay with another number
3. Pay a bill
4. Twi', null, 1772787628000),
(10, 'africastalking', 'session-6', 2, 'dlg_01kk160xz0sqe749gty0r9e0bw', 'demo-shop', '233244123906', 'mtn', '1', '1', null, null, null, '{"screen":"amount","language":"en","lastInput":"1","history":["welcome"],"menu":"eda24a7d32dc14b6"}', 'continue', 'Amount in GHS, such as 20 or 20.50:
0. Back', null, 1772787630500),
(11, 'africastalking', 'session-6', 3, 'dlg_01kk160xz0sqe749gty0r9e0bw', 'demo-shop', '233244123906', 'mtn', '20', '1*20', null, null, null, '{"screen":"confirm","language":"en","lastInput":"20","answers":{"amountMinor":2000},"history":["welcome","amount"],"menu":"eda24a7d32dc14b6"}', 'continue', 'Pay GHS 20.00 to Demo Shop
from 0244123906?
A fee may apply.
1. Yes
2. No
0. Back', null, 1772787633000),
(12, 'africastalking', 'session-6', 4, 'dlg_01kk160xz0sqe749gty0r9e0bw', 'demo-shop', '233244123906', 'mtn', '1', '1*20*1', null, null, null, '{"screen":"done","language":"en","lastInput":"20","answers":{"amountMinor":2000},"menu":"eda24a7d32dc14b6"}', 'end', 'Approve GHS 20.00 to Demo Shop with your PIN.
No prompt? Dial *170#, Wallet, My Approvals', 'col_01kk16159c6b0h0xkk5khsstgd', 1772787635500),
(13, 'africastalking', 'session-8', 1, 'dlg_01kk16kkm0npr334yba5nw9y3y', 'demo-shop', '233244123404', 'mtn', null, '', null, null, null, '{"screen":"welcome","language":"en","menu":"eda24a7d32dc14b6"}', 'continue', 'Demo Shop
1. Pay with this number
2. Pay with another number
3. Pay a bill
4. Twi', null, 1772788240000),
(14, 'africastalking', 'session-8', 2, 'dlg_01kk16kkm0npr334yba5nw9y3y', 'demo-shop', '233244123404', 'mtn', '1', '1', null, null, null, '{"screen":"amount","language":"en","lastInput":"1","history":["welcome"],"menu":"eda24a7d32dc14b6"}', 'continue', 'Amount in GHS, such as 20 or 20.50:
0. Back', null, 1772788242500),
(15, 'africastalking', 'session-8', 3, 'dlg_01kk16kkm0npr334yba5nw9y3y', 'demo-shop', '233244123404', 'mtn', '20', '1*20', null, null, null, '{"screen":"confirm","language":"en","lastInput":"20","answers":{"amountMinor":2000},"history":["welcome","amount"],"menu":"eda24a7d32dc14b6"}', 'continue', 'Pay GHS 20.00 to Demo Shop
from 0244123404?
A fee may apply.
1. Yes
2. No
0. Back', null, 1772788245000),
(16, 'africastalking', 'session-8', 4, 'dlg_01kk16kkm0npr334yba5nw9y3y', 'demo-shop', '233244123404', 'mtn', '1', '1*20*1', null, null, null, '{"screen":"done","language":"en","lastInput":"20","answers":{"amountMinor":2000},"menu":"eda24a7d32dc14b6"}', 'end', 'Approve GHS 20.00 to Demo Shop with your PIN.
No prompt? Dial *170#, Wallet, My Approvals', 'col_01kk16ktyckv6tqkm67v1qevdf', 1772788247500),
(17, 'africastalking', 'session-10', 1, 'dlg_01kk16kxcgt5efe0jt4fz7pam8', 'demo-shop', '233244123405', 'mtn', null, '', null, null, null, '{"screen":"welcome","language":"en","menu":"eda24a7d32dc14b6"}', 'continue', 'Demo Shop
1. Pay with this number
2. Pay with another number
3. Pay a bill
4. Twi', null, 1772788250000),
(18, 'africastalking', 'session-10', 2, 'dlg_01kk16kxcgt5efe0jt4fz7pam8', 'demo-shop', '233244123405', 'mtn', '1', '1', null, null, null, '{"screen":"amount","language":"en","lastInput":"1","history":["welcome"],"menu":"eda24a7d32dc14b6"}', 'continue', 'Amount in GHS, such as 20 or 20.50:
0. Back', null, 1772788252500),
(19, 'africastalking', 'session-10', 3, 'dlg_01kk16kxcgt5efe0jt4fz7pam8', 'demo-shop', '233244123405', 'mtn', '20', '1*20', null, null, null, '{"screen":"confirm","language":"en","lastInput":"20","answers":{"amountMinor":2000},"history":["welcome","amount"],"menu":"eda24a7d32dc14b6"}', 'continue', 'Pay GHS 20.00 to Demo Shop
from 0244123405?
A fee may apply.
1. Yes
2. No
0. Back', null, 1772788255000),
(20, 'africastalking', 'session-10', 4, 'dlg_01kk16kxcgt5efe0jt4fz7pam8', 'demo-shop', '233244123405', 'mtn', '1', '1*20*1', null, null, null, '{"screen":"done","language":"en","lastInput":"20","answers":{"amountMinor":2000},"menu":"eda24a7d32dc14b6"}', 'end', 'Approve GHS 20.00 to Demo Shop with your PIN.
No prompt? Dial *170#, Wallet, My Approvals', 'col_01kk16m4pwa8espas9hd1qvf75', 1772788257500),
(21, 'africastalking', 'session-12', 1, 'dlg_01kk16m65ryq1hjga9qax3jgvb', 'demo-shop', '233244123406', 'mtn', null, '', null, null, null, '{"screen":"welcome","language":"en","menu":"eda24a7d32dc14b6"}', 'continue', 'Demo Shop
1. Pay with this number
2. Pay with another number
3. Pay a bill
4. Twi', null, 1772788259000),
(22, 'africastalking', 'session-12', 2, 'dlg_01kk16m65ryq1hjga9qax3jgvb', 'demo-shop', '233244123406', 'mtn', '1', '1', null, null, null, '{"screen":"amount","language":"en","lastInput":"1","history":["welcome"],"menu":"eda24a7d32dc14b6"}', 'continue', 'Amount in GHS, such as 20 or 20.50:
0. Back', null, 1772788261500),
(23, 'africastalking', 'session-12', 3, 'dlg_01kk16m65ryq1hjga9qax3jgvb', 'demo-shop', '233244123406', 'mtn', '20', '1*20', null, null, null, '{"screen":"confirm","language":"en","lastInput":"20","answers":{"amountMinor":2000},"history":["welcome","amount"],"menu":"eda24a7d32dc14b6"}', 'continue', 'Pay GHS 20.00 to Demo Shop
from 0244123406?
A fee may apply.
1. Yes
2. No
0. Back', null, 1772788264000),
(24, 'africastalking', 'session-12', 4, 'dlg_01kk16m65ryq1hjga9qax3jgvb', 'demo-shop', '233244123406', 'mtn', '1', '1*20*1', null, null, null, '{"screen":"done","language":"en","lastInput":"20","answers":{"amountMinor":2000},"menu":"eda24a7d32dc14b6"}', 'end', 'Approve GHS 20.00 to Demo Shop with your PIN.
No prompt? Dial *170#, Wallet, My Approvals', 'col_01kk16mdg4nywkwtdhvk80p68q', 1772788266500),
(25, 'africastalking', 'session-14', 1, 'dlg_01kk16mez08ggc49bw11p3622a', 'demo-shop', '233244123407', 'mtn', null, '', null, null, null, '{"screen":"welcome","language":"en","menu":"eda24a7d32dc14b6"}', 'continue', 'Demo Shop
1. Pay with this number
2. Pay with another number
3. Pay a bill
4. Twi', null, 1772788268000),
(26, 'africastalking', 'session-14', 2, 'dlg_01kk16mez08ggc49bw11p3622a', 'demo-shop', '233244123407', 'mtn', '1', '1', null, null, null, '{"screen":"amount","language":"en","lastInput":"1","history":["welcome"],"menu":"eda24a7d32dc14b6"}', 'continue', 'Amount in GHS, such as 20 or 20.50:
0. Back', null, 1772788270500),
(27, 'africastalking', 'session-14', 3, 'dlg_01kk16mez08ggc49bw11p3622a', 'demo-shop', '233244123407', 'mtn', '20', '1*20', null, null, null, '{"screen":"confirm","language":"en","lastInput":"20","answers":{"amountMinor":2000},"history":["welcome","amount"],"menu":"eda24a7d32dc14b6"}', 'continue', 'Pay GHS 20.00 to Demo Shop
from 0244123407?
A fee may apply.
1. Yes
2. No
0. Back', null, 1772788273000),
(28, 'africastalking', 'session-14', 4, 'dlg_01kk16mez08ggc49bw11p3622a', 'demo-shop', '233244123407', 'mtn', '1', '1*20*1', null, null, null, '{"screen":"done","language":"en","lastInput":"20","answers":{"amountMinor":2000},"menu":"eda24a7d32dc14b6"}', 'end', 'Approve GHS 20.00 to Demo Shop with your PIN.
No prompt? Dial *170#, Wallet, My Approvals', 'col_01kk16mp9c08xjpa1pg16c4ecj', 1772788275500),
(29, 'africastalking', 'session-16', 1, 'dlg_01kk16mqr808j6tze35kxgyp2b', 'demo-shop', '233244123408', 'mtn', null, '', null, null, null, '{"screen":"welcome","language":"en","menu":"eda24a7d32dc14b6"}', 'continue', 'Demo Shop
1. Pay with this number
2. Pay with another number
3. Pay a bill
4. Twi', null, 1772788277000),
(30, 'africastalking', 'session-16', 2, 'dlg_01kk16mqr808j6tze35kxgyp2b', 'demo-shop', '233244123408', 'mtn', '1', '1', null, null, null, '{"screen":"amount","language":"en","lastInput":"1","history":["welcome"],"menu":"eda24a7d32dc14b6"}', 'continue', 'Amount in GHS, such as 20 or 20.50:
0. Back', null, 1772788279500),
(31, 'africastalking', 'session-16', 3, 'dlg_01kk16mqr808j6tze35kxgyp2b', 'demo-shop', '233244123408', 'mtn', '20', '1*20', null, null, null, '{"screen":"confirm","language":"en","lastInput":"20","answers":{"amountMinor":2000},"history":["welcome","amount"],"menu":"eda24a7d32dc14b6"}', 'continue', 'Pay GHS 20.00 to Demo Shop
from 0244123408?
A fee may apply.
1. Yes
2. No
0. Back', null, 1772788282000),
(32, 'africastalking', 'session-16', 4, 'dlg_01kk16mqr808j6tze35kxgyp2b', 'demo-shop', '233244123408', 'mtn', '1', '1*20*1', null, null, null, '{"screen":"done","language":"en","lastInput":"20","answers":{"amountMinor":2000},"menu":"eda24a7d32dc14b6"}', 'end', 'Approve GHS 20.00 to Demo Shop with your PIN.
No prompt? Dial *170#, Wallet, My Approvals', 'col_01kk16mz2mpcvkdsethdx7d7hk', 1772788284500),
(33, 'africastalking', 'session-18', 1, 'dlg_01kk16mz2mpcvkdsethdx7d7hn', 'demo-shop', '233244123408', 'mtn', null, '', null, null, null, '{"screen":"(payment)","language":"en","callerHistory":{"suffix":[],"payment":{"id":"col_01kk16mz2mpcvkdsethdx7d7hk","payer":"233244123408","dialler":"233244123408","amountMinor":2000,"shortReference":"74900465","chargeMinor":2000,"at":1772788284500,"state":"waiting","operator":"mtn"}},"menu":"eda24a7d32dc14b6"}', 'continue', 'GHS 20.00 to Demo Shop is waiting for the PIN of 0244123408.
1. How to approve
2. New payment', null, 1772788284500),
(34, 'africastalking', 'session-20', 1, 'dlg_01kk16mz2mpcvkdsethdx7d7hs', 'demo-shop', '233244123409', 'mtn', null, '', null, null, null, '{"screen":"welcome","language":"en","menu":"eda24a7d32dc14b6"}', 'continue', 'Demo Shop
1. Pay with this number
2. Pay with another number
3. Pay a bill
4. Twi', null, 1772788284500),
(35, 'africastalking', 'session-20', 2, 'dlg_01kk16mz2mpcvkdsethdx7d7hs', 'demo-shop', '233244123409', 'mtn', '1', '1', null, null, null, '{"screen":"amount","language":"en","lastInput":"1","history":["welcome"],"menu":"eda24a7d32dc14b6"}', 'continue', 'Amount in GHS, such as 20 or 20.50:
0. Back', null, 1772788287000),
(36, 'africastalking', 'session-20', 3, 'dlg_01kk16mz2mpcvkdsethdx7d7hs', 'demo-shop', '233244123409', 'mtn', '20', '1*20', null, null, null, '{"screen":"confirm","language":"en","lastInput":"20","answers":{"amountMinor":2000},"history":["welcome","amount"],"menu":"eda24a7d32dc14b6"}', 'continue', 'Pay GHS 20.00 to Demo Shop
from 0244123409?
A fee may apply.
1. Yes
2. No
0. Back', null, 1772788289500),
(37, 'africastalking', 'session-20', 4, 'dlg_01kk16mz2mpcvkdsethdx7d7hs', 'demo-shop', '233244123409', 'mtn', '1', '1*20*1', null, null, null, '{"screen":"done","language":"en","lastInput":"20","answers":{"amountMinor":2000},"menu":"eda24a7d32dc14b6"}', 'end', 'Approve GHS 20.00 to Demo Shop with your PIN.
No prompt? Dial *170#, Wallet, My Approvals', 'col_01kk16n6d02vgvetweybzpatbz', 1772788292000),
(38, 'africastalking', 'session-22', 1, 'dlg_01kk16n6d02vgvetweybzpatc1', 'demo-shop', '233244123410', 'mtn', null, '', null, null, null, '{"screen":"welcome","language":"en","menu":"eda24a7d32dc14b6"}', 'continue', 'Demo Shop
1. Pay with this number
2. Pay with another number
3. Pay a bill
4. Twi', null, 1772788292000),
(39, 'africastalking', 'session-22', 2, 'dlg_01kk16n6d02vgvetweybzpatc1', 'demo-shop', '233244123410', 'mtn', '1', '1', null, null, null, '{"screen":"amount","language":"en","lastInput":"1","history":["welcome"],"menu":"eda24a7d32dc14b6"}', 'continue', 'Amount in GHS, such as 20 or 20.50:
0. Back', null, 1772788294500),
(40, 'africastalking', 'session-22', 3, 'dlg_01kk16n6d02vgvetweybzpatc1', 'demo-shop', '233244123410', 'mtn', '20', '1*20', null, null, null, '{"screen":"confirm","language":"en","lastInput":"20","answers":{"amountMinor":2000},"history":["welcome","amount"],"menu":"eda24a7d32dc14b6"}', 'continue', 'Pay GHS 20.00 to Demo Shop
from 0244123410?
A fee may apply.
1. Yes
2. No
0. Back', null, 1772788297000),
(41, 'africastalking', 'session-22', 4, 'dlg_01kk16n6d02vgvetweybzpatc1', 'demo-shop', '233244123410', 'mtn', '1', '1*20*1', null, null, null, '{"screen":"done","language":"en","lastInput":"20","answers":{"amountMinor":2000},"menu":"eda24a7d32dc14b6"}', 'end', 'Approve GHS 20.00 to Demo Shop with your PIN.
No prompt? Dial *170#, Wallet, My Approvals', 'col_01kk16ndqcbrdnwwq08jf04a13', 1772788299500);
INSERT INTO "collection" ("id", "merchant_id", "livemode", "status", "version", "channel", "dialogue_id", "dialler", "payer", "requested_by", "network", "reference", "short_reference", "retry_of", "goods_minor", "shown_total_minor", "amount_minor", "fee_minor", "net_minor", "booked", "amount_source", "unplaced_id", "create_key", "create_body", "initiate_key", "session_id", "opened_at", "prompt_not_before", "prompt_deadline", "initiate_sent_at", "initiate_sends", "initiate_rejection", "initiated_at", "paid_at", "closed_at", "confirmed_at", "reported_failure", "late", "lapsed_at", "restored_at", "reason", "review", "awaits_service_since", "next_at", "lease_until", "fence", "home", "attempts", "updated_at", "answers") OVERRIDING SYSTEM VALUE VALUES
('col_01kk1609yc9vm28hwdvdy2dhft', 'demo-shop', 0, 'paid', 6, 'africastalking', 'dlg_01kk1602m0ztm8c79q6qwxf6fg', '233244123401', '233244123401', 'payer', 'mtn', '59814963', '59814963', null, 2000, null, 2020, 20, 2000, 'paid', 'webhook', null, 'create.1Ny1OqcMTtNRLuop', '{"msisdn":"233244123401","amount_minor":2000,"network":"mtn","mode":"offline","reference":"59814963"}', 'initiate.e1JccUmIEm-wEDvN', 'pay_01kk1609yc9vm28hwdvdy2dhfw', 1772787607500, 1772787609000, 1772787787500, 1772787609000, 1, null, 1772787609000, '2026-03-06T09:00:09.000Z', 1772787609000, 1772787609000, null, 0, null, null, null, null, null, null, 0, 3, null, 1, 1772787609000, null),
('col_01kk160wg4nrc1qnvb0ah20jtf', 'demo-shop', 0, 'failed', 8, 'africastalking', 'dlg_01kk160n5r0zqsaj5bd709ah7r', '233244123402', '233244123402', 'payer', 'mtn', '68814159', '68814159', null, 2000, null, 2020, 20, 2000, null, null, null, 'create.JnHjb0gelnXTcfGA', '{"msisdn":"233244123402","amount_minor":2000,"network":"mtn","mode":"offline","reference":"68814159"}', 'initiate.go9lgpJydx3oJstl', 'pay_01kk160wg4nrc1qnvb0ah20jth', 1772787626500, 1772787628000, 1772787806500, 1772787628000, 1, null, 1772787628000, null, 1772787628000, null, 'declined', 0, null, null, 'declined', null, null, null, 0, 3, null, 0, 1772787628000, null),
('col_01kk16159c6b0h0xkk5khsstgd', 'demo-shop', 0, 'review', 11, 'africastalking', 'dlg_01kk160xz0sqe749gty0r9e0bw', '233244123906', '233244123906', 'payer', 'mtn', '97861163', '97861163', null, 2000, null, 1010, 20, 2000, 'suspense', 'webhook', null, 'create.05_l3uZMX8vyOerc', '{"msisdn":"233244123906","amount_minor":2000,"network":"mtn","mode":"offline","reference":"97861163"}', 'initiate.N9WPndR6ifibHd55', 'pay_01kk16159c6b0h0xkk5khsstgf', 1772787635500, 1772787637000, 1772787815500, 1772787637000, 1, null, 1772787637000, null, 1772787640000, null, null, 0, null, null, 'amount_mismatch', 'amount_mismatch', 1772787640000, 1772788556670, 0, 5, 'gw_earlier', 3, 1772788245085, null),
('col_01kk16ktyckv6tqkm67v1qevdf', 'demo-shop', 0, 'review', 7, 'africastalking', 'dlg_01kk16kkm0npr334yba5nw9y3y', '233244123404', '233244123404', 'payer', 'mtn', '01315593', '01315593', null, 2000, null, 1010, 20, 2000, 'suspense', 'webhook', null, 'create.tTj_eh_eARLzhBzI', '{"msisdn":"233244123404","amount_minor":2000,"network":"mtn","mode":"offline","reference":"01315593"}', 'initiate.rf57dDFryU8rsa3W', 'pay_01kk16ktyckv6tqkm67v1qevdh', 1772788247500, 1772788249000, 1772788427500, 1772788249000, 1, null, 1772788249000, '2026-03-06T09:00:29.000Z', 1772788249000, null, null, 0, null, null, 'amount_mismatch', 'amount_mismatch', null, null, 0, 2, null, 0, 1772788249000, null),
('col_01kk16m4pwa8espas9hd1qvf75', 'demo-shop', 0, 'paid', 10, 'africastalking', 'dlg_01kk16kxcgt5efe0jt4fz7pam8', '233244123405', '233244123405', 'payer', 'mtn', '79018646', '79018646', null, 2000, null, 2020, 20, 2000, 'paid', 'webhook', null, 'create.95cedkSXSuC7v9yN', '{"msisdn":"233244123405","amount_minor":2000,"network":"mtn","mode":"offline","reference":"79018646"}', 'initiate.Bsu_qKLLHth8-sBq', 'pay_01kk16m4pwa8espas9hd1qvf77', 1772788257500, 1772788259000, 1772788437500, 1772788259000, 1, null, 1772788259000, '2026-03-06T09:00:29.000Z', 1772788259000, null, null, 0, null, null, null, null, null, 1772788319931, 0, 7, 'gw_earlier', 5, 1772788289085, null),
('col_01kk16mdg4nywkwtdhvk80p68q', 'demo-shop', 0, 'initiated', 8, 'africastalking', 'dlg_01kk16m65ryq1hjga9qax3jgvb', '233244123406', '233244123406', 'payer', 'mtn', '87403440', '87403440', null, 2000, null, 2020, 20, 2000, null, null, null, 'create.XBVjDEwc2y7qkCqR', '{"msisdn":"233244123406","amount_minor":2000,"network":"mtn","mode":"offline","reference":"87403440"}', 'initiate.dFPxMI6z8Wt1Yx53', 'pay_01kk16mdg4nywkwtdhvk80p68s', 1772788266500, 1772788268000, 1772788446500, 1772788268000, 1, null, 1772788268000, null, null, null, null, 0, null, null, null, null, null, 1772788328979, 0, 6, 'gw_earlier', 4, 1772788298425, null),
('col_01kk16mp9c08xjpa1pg16c4ecj', 'demo-shop', 0, 'initiating', 7, 'africastalking', 'dlg_01kk16mez08ggc49bw11p3622a', '233244123407', '233244123407', 'payer', 'mtn', '96366715', '96366715', null, 2000, null, 2020, 20, 2000, null, null, null, 'create.Se0RvRPVp5a0NlwH', '{"msisdn":"233244123407","amount_minor":2000,"network":"mtn","mode":"offline","reference":"96366715"}', 'initiate.rB0pgSJrEgJq32-9', 'pay_01kk16mp9c08xjpa1pg16c4ecm', 1772788275500, 1772788277000, 1772788455500, 1772788277000, 1, null, null, null, null, null, null, 0, null, null, null, null, null, 1772788307251, 0, 5, 'gw_earlier', 3, 1772788297655, null),
('col_01kk16mz2mpcvkdsethdx7d7hk', 'demo-shop', 0, 'created', 2, 'africastalking', 'dlg_01kk16mqr808j6tze35kxgyp2b', '233244123408', '233244123408', 'payer', 'mtn', '74900465', '74900465', null, 2000, null, 2020, 20, 2000, null, null, null, 'create.cd_ElmBB5N0tUwtT', '{"msisdn":"233244123408","amount_minor":2000,"network":"mtn","mode":"offline","reference":"74900465"}', 'initiate.UAXCMFF88YD8XyJo', 'pay_01kk16mz2mpcvkdsethdx7d7hq', 1772788284500, 1772788286000, 1772788464500, null, 0, null, null, null, null, null, null, 0, null, null, null, null, null, 1772788300000, 0, 8, 'gw_earlier', 7, 1772788284500, null),
('col_01kk16n6d02vgvetweybzpatbz', 'demo-shop', 0, 'accepted', 5, 'africastalking', 'dlg_01kk16mz2mpcvkdsethdx7d7hs', '233244123409', '233244123409', 'payer', 'mtn', '35254201', '35254201', null, 2000, null, null, null, null, null, null, null, 'create.cY1x-q55pvtCal69', '{"msisdn":"233244123409","amount_minor":2000,"network":"mtn","mode":"offline","reference":"35254201"}', 'initiate.68MyuWhCnKYxfiIQ', null, 1772788292000, 1772788293500, 1772788472000, null, 0, null, null, null, null, null, null, 0, null, null, null, null, null, 1772788300411, 0, 4, 'gw_earlier', 4, 1772788295853, null),
('col_01kk16ndqcbrdnwwq08jf04a13', 'demo-shop', 0, 'accepted', 1, 'africastalking', 'dlg_01kk16n6d02vgvetweybzpatc1', '233244123410', '233244123410', 'payer', 'mtn', '69719083', '69719083', null, 2000, null, null, null, null, null, null, null, 'create.MQgB1ErcLPJcvu0Q', '{"msisdn":"233244123410","amount_minor":2000,"network":"mtn","mode":"offline","reference":"69719083"}', 'initiate.FBlqqas6rz-h2ubS', null, 1772788299500, 1772788301000, 1772788479500, null, 0, null, null, null, null, null, null, 0, null, null, null, null, null, 1772788329500, 1772788329500, 1, 'gw_earlier', 1, 1772788299500, null);
INSERT INTO "fact" ("seq", "subject_id", "merchant_id", "version", "kind", "data", "at") OVERRIDING SYSTEM VALUE VALUES
(1, 'col_01kk1609yc9vm28hwdvdy2dhft', 'demo-shop', 1, 'accepted', '{"livemode":0,"channel":"africastalking","dialogueId":"dlg_01kk1602m0ztm8c79q6qwxf6fg","dialler":"233244123401","payer":"233244123401","requestedBy":"payer","network":"mtn","goodsMinor":2000,"shortReference":"59814963","retryOf":null,"shownTotalMinor":null,"reference":"59814963","createKey":"create.1Ny1OqcMTtNRLuop","initiateKey":"initiate.e1JccUmIEm-wEDvN","promptNotBefore":1772787609000,"promptDeadline":1772787787500}', 1772787607500),
(2, 'col_01kk1609yc9vm28hwdvdy2dhft', 'demo-shop', 2, 'created', '{"sessionId":"pay_01kk1609yc9vm28hwdvdy2dhfw","goodsMinor":2000,"amountMinor":2020,"feeMinor":20,"netMinor":2000,"ms":0}', 1772787607500),
(3, 'col_01kk1609yc9vm28hwdvdy2dhft', 'demo-shop', 3, 'prompt_requested', '{"send":1}', 1772787609000),
(4, 'col_01kk1609yc9vm28hwdvdy2dhft', 'demo-shop', 4, 'initiated', '{"ms":0}', 1772787609000),
(5, 'col_01kk1609yc9vm28hwdvdy2dhft', 'demo-shop', 5, 'paid', '{"amountMinor":2020,"feeMinor":20,"netMinor":2000,"source":"webhook","paidAt":"2026-03-06T09:00:09.000Z","late":0,"eventId":"evt_01kk160bd8xdt0ct6mhqc6yh0s"}', 1772787609000),
(6, 'col_01kk1609yc9vm28hwdvdy2dhft', 'demo-shop', 6, 'confirmed', '{"ms":0}', 1772787609000),
(7, 'col_01kk160wg4nrc1qnvb0ah20jtf', 'demo-shop', 1, 'accepted', '{"livemode":0,"channel":"africastalking","dialogueId":"dlg_01kk160n5r0zqsaj5bd709ah7r","dialler":"233244123402","payer":"233244123402","requestedBy":"payer","network":"mtn","goodsMinor":2000,"shortReference":"68814159","retryOf":null,"shownTotalMinor":null,"reference":"68814159","createKey":"create.JnHjb0gelnXTcfGA","initiateKey":"initiate.go9lgpJydx3oJstl","promptNotBefore":1772787628000,"promptDeadline":1772787806500}', 1772787626500),
(8, 'col_01kk160wg4nrc1qnvb0ah20jtf', 'demo-shop', 2, 'created', '{"sessionId":"pay_01kk160wg4nrc1qnvb0ah20jth","goodsMinor":2000,"amountMinor":2020,"feeMinor":20,"netMinor":2000,"ms":0}', 1772787626500),
(9, 'col_01kk160wg4nrc1qnvb0ah20jtf', 'demo-shop', 3, 'prompt_requested', '{"send":1}', 1772787628000),
(10, 'col_01kk160wg4nrc1qnvb0ah20jtf', 'demo-shop', 4, 'initiated', '{"ms":0}', 1772787628000),
(11, 'col_01kk160wg4nrc1qnvb0ah20jtf', 'demo-shop', 5, 'event', '{"eventId":"evt_01kk160xz0sqe749gty0r9e0br","type":"payment.session.failed"}', 1772787628000),
(12, 'col_01kk160wg4nrc1qnvb0ah20jtf', 'demo-shop', 6, 'failure_reported', '{"reason":"declined"}', 1772787628000),
(13, 'col_01kk160wg4nrc1qnvb0ah20jtf', 'demo-shop', 7, 'polled', '{"status":"failed","terminal":true,"ms":0}', 1772787628000),
(14, 'col_01kk160wg4nrc1qnvb0ah20jtf', 'demo-shop', 8, 'failed', '{"reason":"declined"}', 1772787628000),
(15, 'col_01kk16159c6b0h0xkk5khsstgd', 'demo-shop', 1, 'accepted', '{"livemode":0,"channel":"africastalking","dialogueId":"dlg_01kk160xz0sqe749gty0r9e0bw","dialler":"233244123906","payer":"233244123906","requestedBy":"payer","network":"mtn","goodsMinor":2000,"shortReference":"97861163","retryOf":null,"shownTotalMinor":null,"reference":"97861163","createKey":"create.05_l3uZMX8vyOerc","initiateKey":"initiate.N9WPndR6ifibHd55","promptNotBefore":1772787637000,"promptDeadline":1772787815500}', 1772787635500),
(16, 'col_01kk16159c6b0h0xkk5khsstgd', 'demo-shop', 2, 'created', '{"sessionId":"pay_01kk16159c6b0h0xkk5khsstgf","goodsMinor":2000,"amountMinor":2020,"feeMinor":20,"netMinor":2000,"ms":0}', 1772787635500),
(17, 'col_01kk16159c6b0h0xkk5khsstgd', 'demo-shop', 3, 'prompt_requested', '{"send":1}', 1772787637000),
(18, 'col_01kk16159c6b0h0xkk5khsstgd', 'demo-shop', 4, 'initiated', '{"ms":0}', 1772787637000),
(19, 'col_01kk16159c6b0h0xkk5khsstgd', 'demo-shop', 5, 'event', '{"eventId":"evt_01kk1619p08evkdnygnw9qggep","type":"payment.session.review_amount_mismatch"}', 1772787640000),
(20, 'col_01kk16159c6b0h0xkk5khsstgd', 'demo-shop', 6, 'suspended', '{"amountMinor":1010,"source":"webhook","paidAt":null}', 1772787640000),
(21, 'col_01kk16159c6b0h0xkk5khsstgd', 'demo-shop', 7, 'review_opened', '{"reason":"amount_mismatch"}', 1772787640000),
(22, 'col_01kk16159c6b0h0xkk5khsstgd', 'demo-shop', 8, 'service_decides', '{}', 1772787640000),
(23, 'col_01kk16159c6b0h0xkk5khsstgd', 'demo-shop', 9, 'polled', '{"status":"initiated","terminal":false,"retryAfterSeconds":300,"reviewMinor":1010,"ms":0}', 1772787645085),
(24, 'col_01kk16159c6b0h0xkk5khsstgd', 'demo-shop', 10, 'polled', '{"status":"initiated","terminal":false,"retryAfterSeconds":300,"reviewMinor":1010,"ms":0}', 1772787945085),
(25, 'col_01kk16159c6b0h0xkk5khsstgd', 'demo-shop', 11, 'polled', '{"status":"initiated","terminal":false,"retryAfterSeconds":300,"reviewMinor":1010,"ms":0}', 1772788245085),
(26, 'col_01kk16ktyckv6tqkm67v1qevdf', 'demo-shop', 1, 'accepted', '{"livemode":0,"channel":"africastalking","dialogueId":"dlg_01kk16kkm0npr334yba5nw9y3y","dialler":"233244123404","payer":"233244123404","requestedBy":"payer","network":"mtn","goodsMinor":2000,"shortReference":"01315593","retryOf":null,"shownTotalMinor":null,"reference":"01315593","createKey":"create.tTj_eh_eARLzhBzI","initiateKey":"initiate.rf57dDFryU8rsa3W","promptNotBefore":1772788249000,"promptDeadline":1772788427500}', 1772788247500),
(27, 'col_01kk16ktyckv6tqkm67v1qevdf', 'demo-shop', 2, 'created', '{"sessionId":"pay_01kk16ktyckv6tqkm67v1qevdh","goodsMinor":2000,"amountMinor":2020,"feeMinor":20,"netMinor":2000,"ms":0}', 1772788247500),
(28, 'col_01kk16ktyckv6tqkm67v1qevdf', 'demo-shop', 3, 'prompt_requested', '{"send":1}', 1772788249000),
(29, 'col_01kk16ktyckv6tqkm67v1qevdf', 'demo-shop', 4, 'initiated', '{"ms":0}', 1772788249000),
(30, 'col_01kk16ktyckv6tqkm67v1qevdf', 'demo-shop', 5, 'event', '{"eventId":"evt_half","type":"payment.session.paid"}', 1772788249000),
(31, 'col_01kk16ktyckv6tqkm67v1qevdf', 'demo-shop', 6, 'suspended', '{"amountMinor":1010,"source":"webhook","paidAt":"2026-03-06T09:00:29.000Z"}', 1772788249000),
(32, 'col_01kk16ktyckv6tqkm67v1qevdf', 'demo-shop', 7, 'review_opened', '{"reason":"amount_mismatch"}', 1772788249000),
(33, 'unp_01kk16kwd8xg5fs0dtmwnn7yen', 'demo-shop', 1, 'reported', '{"id":"unp_01kk16kwd8xg5fs0dtmwnn7yen","merchantId":"demo-shop","livemode":0,"stated":{"eventId":"evt_1","eventType":"payment.session.paid","chargedMinor":2020,"goodsMinor":2000,"feeMinor":20,"netMinor":2000,"payer":null,"reference":"INV-7","clientTransId":null,"channel":null,"paidAt":"2026-03-06T09:00:30.000Z","reports":"payment"},"reason":"unknown_session","sessionId":"pay_unplaced","charge":1}', 1772788249000),
(34, 'col_01kk16m4pwa8espas9hd1qvf75', 'demo-shop', 1, 'accepted', '{"livemode":0,"channel":"africastalking","dialogueId":"dlg_01kk16kxcgt5efe0jt4fz7pam8","dialler":"233244123405","payer":"233244123405","requestedBy":"payer","network":"mtn","goodsMinor":2000,"shortReference":"79018646","retryOf":null,"shownTotalMinor":null,"reference":"79018646","createKey":"create.95cedkSXSuC7v9yN","initiateKey":"initiate.Bsu_qKLLHth8-sBq","promptNotBefore":1772788259000,"promptDeadline":1772788437500}', 1772788257500),
(35, 'col_01kk16m4pwa8espas9hd1qvf75', 'demo-shop', 2, 'created', '{"sessionId":"pay_01kk16m4pwa8espas9hd1qvf77","goodsMinor":2000,"amountMinor":2020,"feeMinor":20,"netMinor":2000,"ms":0}', 1772788257500),
(36, 'col_01kk16m4pwa8espas9hd1qvf75', 'demo-shop', 3, 'prompt_requested', '{"send":1}', 1772788259000),
(37, 'col_01kk16m4pwa8espas9hd1qvf75', 'demo-shop', 4, 'initiated', '{"ms":0}', 1772788259000),
(38, 'col_01kk16m4pwa8espas9hd1qvf75', 'demo-shop', 5, 'paid', '{"amountMinor":2020,"feeMinor":20,"netMinor":2000,"source":"webhook","paidAt":"2026-03-06T09:00:29.000Z","late":0,"eventId":"evt_unconfirmed"}', 1772788259000),
(39, 'col_01kk16m4pwa8espas9hd1qvf75', 'demo-shop', 6, 'called', '{"call":"status","outcome":"unknown","detail":"network_error","ms":0}', 1772788259000),
(40, 'col_01kk16m4pwa8espas9hd1qvf75', 'demo-shop', 7, 'called', '{"call":"status","outcome":"unknown","detail":"network_error","ms":0}', 1772788264489),
(41, 'col_01kk16mdg4nywkwtdhvk80p68q', 'demo-shop', 1, 'accepted', '{"livemode":0,"channel":"africastalking","dialogueId":"dlg_01kk16m65ryq1hjga9qax3jgvb","dialler":"233244123406","payer":"233244123406","requestedBy":"payer","network":"mtn","goodsMinor":2000,"shortReference":"87403440","retryOf":null,"shownTotalMinor":null,"reference":"87403440","createKey":"create.XBVjDEwc2y7qkCqR","initiateKey":"initiate.dFPxMI6z8Wt1Yx53","promptNotBefore":1772788268000,"promptDeadline":1772788446500}', 1772788266500),
(42, 'col_01kk16mdg4nywkwtdhvk80p68q', 'demo-shop', 2, 'created', '{"sessionId":"pay_01kk16mdg4nywkwtdhvk80p68s","goodsMinor":2000,"amountMinor":2020,"feeMinor":20,"netMinor":2000,"ms":0}', 1772788266500),
(43, 'col_01kk16mdg4nywkwtdhvk80p68q', 'demo-shop', 3, 'prompt_requested', '{"send":1}', 1772788268000),
(44, 'col_01kk16mdg4nywkwtdhvk80p68q', 'demo-shop', 4, 'initiated', '{"ms":0}', 1772788268000),
(45, 'col_01kk16m4pwa8espas9hd1qvf75', 'demo-shop', 8, 'called', '{"call":"status","outcome":"unknown","detail":"network_error","ms":0}', 1772788269251),
(46, 'col_01kk16mdg4nywkwtdhvk80p68q', 'demo-shop', 5, 'called', '{"call":"status","outcome":"unknown","detail":"network_error","ms":0}', 1772788273418),
(47, 'col_01kk16mp9c08xjpa1pg16c4ecj', 'demo-shop', 1, 'accepted', '{"livemode":0,"channel":"africastalking","dialogueId":"dlg_01kk16mez08ggc49bw11p3622a","dialler":"233244123407","payer":"233244123407","requestedBy":"payer","network":"mtn","goodsMinor":2000,"shortReference":"96366715","retryOf":null,"shownTotalMinor":null,"reference":"96366715","createKey":"create.Se0RvRPVp5a0NlwH","initiateKey":"initiate.rB0pgSJrEgJq32-9","promptNotBefore":1772788277000,"promptDeadline":1772788455500}', 1772788275500),
(48, 'col_01kk16mp9c08xjpa1pg16c4ecj', 'demo-shop', 2, 'created', '{"sessionId":"pay_01kk16mp9c08xjpa1pg16c4ecm","goodsMinor":2000,"amountMinor":2020,"feeMinor":20,"netMinor":2000,"ms":0}', 1772788275500),
(49, 'col_01kk16mp9c08xjpa1pg16c4ecj', 'demo-shop', 3, 'prompt_requested', '{"send":1}', 1772788277000),
(50, 'col_01kk16mp9c08xjpa1pg16c4ecj', 'demo-shop', 4, 'called', '{"call":"initiate","outcome":"unknown","detail":"network_error","ms":0}', 1772788277000),
(51, 'col_01kk16mdg4nywkwtdhvk80p68q', 'demo-shop', 6, 'called', '{"call":"status","outcome":"unknown","detail":"network_error","ms":0}', 1772788278421),
(52, 'col_01kk16m4pwa8espas9hd1qvf75', 'demo-shop', 9, 'called', '{"call":"status","outcome":"unknown","detail":"network_error","ms":0}', 1772788279130),
(53, 'col_01kk16mp9c08xjpa1pg16c4ecj', 'demo-shop', 5, 'called', '{"call":"status","outcome":"unknown","detail":"network_error","ms":0}', 1772788282401),
(54, 'col_01kk16mz2mpcvkdsethdx7d7hk', 'demo-shop', 1, 'accepted', '{"livemode":0,"channel":"africastalking","dialogueId":"dlg_01kk16mqr808j6tze35kxgyp2b","dialler":"233244123408","payer":"233244123408","requestedBy":"payer","network":"mtn","goodsMinor":2000,"shortReference":"74900465","retryOf":null,"shownTotalMinor":null,"reference":"74900465","createKey":"create.cd_ElmBB5N0tUwtT","initiateKey":"initiate.UAXCMFF88YD8XyJo","promptNotBefore":1772788286000,"promptDeadline":1772788464500}', 1772788284500),
(55, 'col_01kk16mz2mpcvkdsethdx7d7hk', 'demo-shop', 2, 'created', '{"sessionId":"pay_01kk16mz2mpcvkdsethdx7d7hq","goodsMinor":2000,"amountMinor":2020,"feeMinor":20,"netMinor":2000,"ms":0}', 1772788284500),
(56, 'col_01kk16mp9c08xjpa1pg16c4ecj', 'demo-shop', 6, 'called', '{"call":"status","outcome":"unknown","detail":"network_error","ms":0}', 1772788287188),
(57, 'col_01kk16mdg4nywkwtdhvk80p68q', 'demo-shop', 7, 'called', '{"call":"status","outcome":"unknown","detail":"network_error","ms":0}', 1772788288633),
(58, 'col_01kk16m4pwa8espas9hd1qvf75', 'demo-shop', 10, 'called', '{"call":"status","outcome":"unknown","detail":"network_error","ms":0}', 1772788289085),
(59, 'col_01kk16n6d02vgvetweybzpatbz', 'demo-shop', 1, 'accepted', '{"livemode":0,"channel":"africastalking","dialogueId":"dlg_01kk16mz2mpcvkdsethdx7d7hs","dialler":"233244123409","payer":"233244123409","requestedBy":"payer","network":"mtn","goodsMinor":2000,"shortReference":"35254201","retryOf":null,"shownTotalMinor":null,"reference":"35254201","createKey":"create.cY1x-q55pvtCal69","initiateKey":"initiate.68MyuWhCnKYxfiIQ","promptNotBefore":1772788293500,"promptDeadline":1772788472000}', 1772788292000),
(60, 'col_01kk16n6d02vgvetweybzpatbz', 'demo-shop', 2, 'called', '{"call":"create","outcome":"unknown","detail":"network_error","ms":0}', 1772788292000),
(61, 'col_01kk16n6d02vgvetweybzpatbz', 'demo-shop', 3, 'called', '{"call":"create","outcome":"unknown","detail":"network_error","ms":0}', 1772788292619),
(62, 'col_01kk16n6d02vgvetweybzpatbz', 'demo-shop', 4, 'called', '{"call":"create","outcome":"unknown","detail":"network_error","ms":0}', 1772788293784),
(63, 'col_01kk16n6d02vgvetweybzpatbz', 'demo-shop', 5, 'called', '{"call":"create","outcome":"unknown","detail":"network_error","ms":0}', 1772788295853),
(64, 'col_01kk16mp9c08xjpa1pg16c4ecj', 'demo-shop', 7, 'called', '{"call":"status","outcome":"unknown","detail":"network_error","ms":0}', 1772788297655),
(65, 'col_01kk16mdg4nywkwtdhvk80p68q', 'demo-shop', 8, 'called', '{"call":"status","outcome":"unknown","detail":"network_error","ms":0}', 1772788298425),
(66, 'col_01kk16ndqcbrdnwwq08jf04a13', 'demo-shop', 1, 'accepted', '{"livemode":0,"channel":"africastalking","dialogueId":"dlg_01kk16n6d02vgvetweybzpatc1","dialler":"233244123410","payer":"233244123410","requestedBy":"payer","network":"mtn","goodsMinor":2000,"shortReference":"69719083","retryOf":null,"shownTotalMinor":null,"reference":"69719083","createKey":"create.MQgB1ErcLPJcvu0Q","initiateKey":"initiate.FBlqqas6rz-h2ubS","promptNotBefore":1772788301000,"promptDeadline":1772788479500}', 1772788299500),
(67, 'unp_01kk16ndqcbrdnwwq08jf04a15', 'demo-shop', 1, 'reported', '{"id":"unp_01kk16ndqcbrdnwwq08jf04a15","merchantId":"demo-shop","livemode":0,"stated":{"eventId":"evt_unhandled","eventType":"payment.session.paid","chargedMinor":2020,"goodsMinor":2000,"feeMinor":20,"netMinor":2000,"payer":null,"reference":"INV-7","clientTransId":null,"channel":null,"paidAt":"2026-03-06T09:00:30.000Z","reports":"payment"},"reason":"unknown_session","sessionId":"pay_unhandled","charge":1}', 1772788299500);
INSERT INTO "posting" ("seq", "subject_id", "merchant_id", "livemode", "version", "booking", "account", "amount_minor", "at") OVERRIDING SYSTEM VALUE VALUES
(1, 'col_01kk1609yc9vm28hwdvdy2dhft', 'demo-shop', 0, 5, 'paid', 'payers', -2020, 1772787609000),
(2, 'col_01kk1609yc9vm28hwdvdy2dhft', 'demo-shop', 0, 5, 'paid', 'merchant:demo-shop', 2000, 1772787609000),
(3, 'col_01kk1609yc9vm28hwdvdy2dhft', 'demo-shop', 0, 5, 'paid', 'service_fees', 20, 1772787609000),
(4, 'col_01kk16159c6b0h0xkk5khsstgd', 'demo-shop', 0, 8, 'suspense', 'payers', -1010, 1772787640000),
(5, 'col_01kk16159c6b0h0xkk5khsstgd', 'demo-shop', 0, 8, 'suspense', 'suspense', 1010, 1772787640000),
(6, 'col_01kk16ktyckv6tqkm67v1qevdf', 'demo-shop', 0, 7, 'suspense', 'payers', -1010, 1772788249000),
(7, 'col_01kk16ktyckv6tqkm67v1qevdf', 'demo-shop', 0, 7, 'suspense', 'suspense', 1010, 1772788249000),
(8, 'unp_01kk16kwd8xg5fs0dtmwnn7yen', 'demo-shop', 0, 1, 'suspense', 'payers', -2020, 1772788249000),
(9, 'unp_01kk16kwd8xg5fs0dtmwnn7yen', 'demo-shop', 0, 1, 'suspense', 'suspense', 2020, 1772788249000),
(10, 'col_01kk16m4pwa8espas9hd1qvf75', 'demo-shop', 0, 5, 'paid', 'payers', -2020, 1772788259000),
(11, 'col_01kk16m4pwa8espas9hd1qvf75', 'demo-shop', 0, 5, 'paid', 'merchant:demo-shop', 2000, 1772788259000),
(12, 'col_01kk16m4pwa8espas9hd1qvf75', 'demo-shop', 0, 5, 'paid', 'service_fees', 20, 1772788259000),
(13, 'unp_01kk16ndqcbrdnwwq08jf04a15', 'demo-shop', 0, 1, 'suspense', 'payers', -2020, 1772788299500),
(14, 'unp_01kk16ndqcbrdnwwq08jf04a15', 'demo-shop', 0, 1, 'suspense', 'suspense', 2020, 1772788299500);
INSERT INTO "account_total" ("account", "livemode", "amount_minor", "postings") OVERRIDING SYSTEM VALUE VALUES
('merchant:demo-shop', 0, 2000, 1),
('payers', 0, -3030, 2),
('service_fees', 0, 20, 1),
('suspense', 0, 1010, 1);
INSERT INTO "account_day_total" ("day", "account", "livemode", "amount_minor", "postings") OVERRIDING SYSTEM VALUE VALUES
(20518, 'merchant:demo-shop', 0, 2000, 1),
(20518, 'payers', 0, -3030, 2),
(20518, 'service_fees', 0, 20, 1),
(20518, 'suspense', 0, 1010, 1);
INSERT INTO "totals_mark" ("id", "turn_seq", "fact_seq") OVERRIDING SYSTEM VALUE VALUES
(1, 12, 24);
INSERT INTO "payment_total" ("unit", "start", "merchant_id", "livemode", "channel", "network", "outcome", "payments", "prompted", "price_minor", "charged_minor") OVERRIDING SYSTEM VALUE VALUES
('day', 1772755200000, 'demo-shop', 0, 'africastalking', 'mtn', 'declined', 1, 1, 2000, 0),
('day', 1772755200000, 'demo-shop', 0, 'africastalking', 'mtn', 'paid', 1, 1, 2000, 2020),
('day', 1772755200000, 'demo-shop', 0, 'africastalking', 'mtn', 'review', 1, 1, 2000, 0),
('hour', 1772787600000, 'demo-shop', 0, 'africastalking', 'mtn', 'declined', 1, 1, 2000, 0),
('hour', 1772787600000, 'demo-shop', 0, 'africastalking', 'mtn', 'paid', 1, 1, 2000, 2020),
('hour', 1772787600000, 'demo-shop', 0, 'africastalking', 'mtn', 'review', 1, 1, 2000, 0);
INSERT INTO "screen_total" ("unit", "start", "merchant_id", "channel", "language", "screen", "measure", "count") OVERRIDING SYSTEM VALUE VALUES
('day', 1772755200000, 'demo-shop', 'africastalking', 'en', '', 'answered', 3),
('day', 1772755200000, 'demo-shop', 'africastalking', 'en', '', 'begun', 3),
('day', 1772755200000, 'demo-shop', 'africastalking', 'en', '', 'opened', 3),
('day', 1772755200000, 'demo-shop', 'africastalking', 'en', '', 'time.8', 3),
('day', 1772755200000, 'demo-shop', 'africastalking', 'en', 'amount', 'reached', 3),
('day', 1772755200000, 'demo-shop', 'africastalking', 'en', 'amount', 'shown', 3),
('day', 1772755200000, 'demo-shop', 'africastalking', 'en', 'amount', 'time.4', 3),
('day', 1772755200000, 'demo-shop', 'africastalking', 'en', 'confirm', 'opened', 3),
('day', 1772755200000, 'demo-shop', 'africastalking', 'en', 'confirm', 'reached', 3),
('day', 1772755200000, 'demo-shop', 'africastalking', 'en', 'confirm', 'shown', 3),
('day', 1772755200000, 'demo-shop', 'africastalking', 'en', 'confirm', 'time.4', 3),
('day', 1772755200000, 'demo-shop', 'africastalking', 'en', 'welcome', 'left.unanswered', 0),
('day', 1772755200000, 'demo-shop', 'africastalking', 'en', 'welcome', 'reached', 3),
('day', 1772755200000, 'demo-shop', 'africastalking', 'en', 'welcome', 'shown', 3),
('day', 1772755200000, 'demo-shop', 'africastalking', 'en', 'welcome', 'time.4', 3),
('hour', 1772787600000, 'demo-shop', 'africastalking', 'en', '', 'answered', 3),
('hour', 1772787600000, 'demo-shop', 'africastalking', 'en', '', 'begun', 3),
('hour', 1772787600000, 'demo-shop', 'africastalking', 'en', '', 'opened', 3),
('hour', 1772787600000, 'demo-shop', 'africastalking', 'en', '', 'time.8', 3),
('hour', 1772787600000, 'demo-shop', 'africastalking', 'en', 'amount', 'reached', 3),
('hour', 1772787600000, 'demo-shop', 'africastalking', 'en', 'amount', 'shown', 3),
('hour', 1772787600000, 'demo-shop', 'africastalking', 'en', 'amount', 'time.4', 3),
('hour', 1772787600000, 'demo-shop', 'africastalking', 'en', 'confirm', 'opened', 3),
('hour', 1772787600000, 'demo-shop', 'africastalking', 'en', 'confirm', 'reached', 3),
('hour', 1772787600000, 'demo-shop', 'africastalking', 'en', 'confirm', 'shown', 3),
('hour', 1772787600000, 'demo-shop', 'africastalking', 'en', 'confirm', 'time.4', 3),
('hour', 1772787600000, 'demo-shop', 'africastalking', 'en', 'welcome', 'left.unanswered', 0),
('hour', 1772787600000, 'demo-shop', 'africastalking', 'en', 'welcome', 'reached', 3),
('hour', 1772787600000, 'demo-shop', 'africastalking', 'en', 'welcome', 'shown', 3),
('hour', 1772787600000, 'demo-shop', 'africastalking', 'en', 'welcome', 'time.4', 3);
INSERT INTO "seal" ("number", "fact_seq", "posting_seq", "turn_seq", "setting_seq", "action_seq", "rows", "at", "previous_hash", "hash", "key_id", "signature") OVERRIDING SYSTEM VALUE VALUES
(1, 24, 5, 12, 0, 1, 42, 1772788200000, '0000000000000000000000000000000000000000000000000000000000000000', '55b91eb2dc21b2de9083822e54c3972a17ea42610594afc658d390b00bddd446', null, null);
INSERT INTO "inbox" ("merchant_id", "event_id", "livemode", "type", "session_id", "body", "received_at", "state", "next_at", "lease_until", "attempts", "stale") OVERRIDING SYSTEM VALUE VALUES
('demo-shop', 'evt_01kk160bd8xdt0ct6mhqc6yh0s', 0, 'payment.session.paid', 'pay_01kk1609yc9vm28hwdvdy2dhfw', '{"id":"evt_01kk160bd8xdt0ct6mhqc6yh0s","type":"payment.session.paid","created_at":"2026-03-06T09:00:09.000Z","livemode":false,"data":{"status":"paid","id":"pay_01kk1609yc9vm28hwdvdy2dhfw","reference":"59814963","client_trans_id":"59814963","goods_minor":2000,"amount_minor":2020,"expected_fee_minor":20,"expected_net_minor":2000,"paid_minor":2020,"paid_at":"2026-03-06T09:00:09.000Z"}}', 1772787609000, 'handled', null, 0, 1, 0),
('demo-shop', 'evt_01kk160xz0sqe749gty0r9e0br', 0, 'payment.session.failed', 'pay_01kk160wg4nrc1qnvb0ah20jth', '{"id":"evt_01kk160xz0sqe749gty0r9e0br","type":"payment.session.failed","created_at":"2026-03-06T09:00:28.000Z","livemode":false,"data":{"status":"failed","id":"pay_01kk160wg4nrc1qnvb0ah20jth","reference":"68814159","client_trans_id":"68814159","goods_minor":2000,"amount_minor":2020,"expected_fee_minor":20,"expected_net_minor":2000,"reason":"declined"}}', 1772787628000, 'handled', null, 0, 1, 0),
('demo-shop', 'evt_01kk1619p08evkdnygnw9qggep', 0, 'payment.session.review_amount_mismatch', 'pay_01kk16159c6b0h0xkk5khsstgf', '{"id":"evt_01kk1619p08evkdnygnw9qggep","type":"payment.session.review_amount_mismatch","created_at":"2026-03-06T09:00:40.000Z","livemode":false,"data":{"status":"initiated","id":"pay_01kk16159c6b0h0xkk5khsstgf","reference":"97861163","client_trans_id":"97861163","goods_minor":2000,"amount_minor":2020,"expected_fee_minor":20,"expected_net_minor":2000,"paid_minor":1010,"paid_at":"2026-03-06T09:00:40.000Z","reason":"paid_short"}}', 1772787640000, 'handled', null, 0, 1, 0),
('demo-shop', 'evt_1', 0, 'payment.session.paid', 'pay_unplaced', '{"id":"evt_1","type":"payment.session.paid","created_at":"2026-03-06T09:00:30.000Z","data":{"id":"pay_unplaced","reference":"INV-7","goods_minor":2000,"amount_minor":2020,"expected_fee_minor":20,"expected_net_minor":2000,"status":"paid","paid_at":"2026-03-06T09:00:30.000Z"}}', 1772788249000, 'parked', null, 0, 1, 0),
('demo-shop', 'evt_half', 0, 'payment.session.paid', 'pay_01kk16ktyckv6tqkm67v1qevdh', '{"id":"evt_half","type":"payment.session.paid","created_at":"2026-03-06T09:00:30.000Z","data":{"id":"pay_01kk16ktyckv6tqkm67v1qevdh","status":"paid","goods_minor":2000,"amount_minor":1010,"expected_fee_minor":20,"expected_net_minor":990,"paid_at":"2026-03-06T09:00:29.000Z"}}', 1772788249000, 'handled', null, 0, 1, 0),
('demo-shop', 'evt_unconfirmed', 0, 'payment.session.paid', 'pay_01kk16m4pwa8espas9hd1qvf77', '{"id":"evt_unconfirmed","type":"payment.session.paid","created_at":"2026-03-06T09:00:30.000Z","data":{"id":"pay_01kk16m4pwa8espas9hd1qvf77","status":"paid","goods_minor":2000,"amount_minor":2020,"expected_fee_minor":20,"expected_net_minor":2000,"paid_at":"2026-03-06T09:00:29.000Z"}}', 1772788259000, 'handled', null, 0, 1, 0),
('demo-shop', 'evt_unhandled', 0, 'payment.session.paid', 'pay_unhandled', '{"id":"evt_unhandled","type":"payment.session.paid","created_at":"2026-03-06T09:00:30.000Z","data":{"id":"pay_unhandled","reference":"INV-7","goods_minor":2000,"amount_minor":2020,"expected_fee_minor":20,"expected_net_minor":2000,"status":"paid","paid_at":"2026-03-06T09:00:30.000Z"}}', 1772788299500, 'parked', null, 0, 1, 0);
INSERT INTO "unplaced_payment" ("id", "merchant_id", "livemode", "session_id", "charge", "event_id", "event_type", "state", "version", "amount_minor", "suspended_minor", "goods_minor", "fee_minor", "net_minor", "payer", "reference", "client_trans_id", "channel", "paid_at", "reason", "note", "collection_id", "received_at", "closed_at", "updated_at") OVERRIDING SYSTEM VALUE VALUES
('unp_01kk16kwd8xg5fs0dtmwnn7yen', 'demo-shop', 0, 'pay_unplaced', 1, 'evt_1', 'payment.session.paid', 'open', 1, 2020, 2020, 2000, 20, 2000, null, 'INV-7', null, null, '2026-03-06T09:00:30.000Z', 'unknown_session', null, null, 1772788249000, null, 1772788249000),
('unp_01kk16ndqcbrdnwwq08jf04a15', 'demo-shop', 0, 'pay_unhandled', 1, 'evt_unhandled', 'payment.session.paid', 'open', 1, 2020, 2020, 2000, 20, 2000, null, 'INV-7', null, null, '2026-03-06T09:00:30.000Z', 'unknown_session', null, null, 1772788299500, null, 1772788299500);
INSERT INTO "staff_action" ("seq", "at", "actor", "action", "result", "subject_kind", "subject_id", "merchant_id", "livemode", "detail") OVERRIDING SYSTEM VALUE VALUES
(1, 1772787600000, 'adwoa', 'add_endpoint', 'done', 'endpoint', 'ep_01kk1602m0ztm8c79q6qwxf6fe', 'demo-shop', 0, '{"url":"https://shop.example/hooks"}'),
(2, 1772788249000, 'kofi', 'note', 'done', 'collection', 'col_01kk16ktyckv6tqkm67v1qevdf', 'demo-shop', 0, '{"text":"the payer called"}'),
(3, 1772788249000, 'ama', 'propose', 'done', 'collection', 'col_01kk16ktyckv6tqkm67v1qevdf', 'demo-shop', 0, '{"proposal":"prp_01kk16kwd8xg5fs0dtmwnn7yek","outcome":"returned","evidence":"statement of the service, line 12","reference":"TRF-1","versionSeen":7}');
INSERT INTO "proposal" ("id", "subject_kind", "subject_id", "merchant_id", "livemode", "outcome", "evidence", "reference", "version_seen", "target_id", "target_version", "proposed_by", "proposed_at", "state", "decided_by", "decided_at") OVERRIDING SYSTEM VALUE VALUES
('prp_01kk16kwd8xg5fs0dtmwnn7yek', 'collection', 'col_01kk16ktyckv6tqkm67v1qevdf', 'demo-shop', 0, 'returned', 'statement of the service, line 12', 'TRF-1', 7, null, null, 'ama', 1772788249000, 'open', null, null);
INSERT INTO "notification_endpoint" ("id", "merchant_id", "livemode", "url", "whole_payer", "secret", "previous_secret", "previous_until", "created_at", "failing_since", "last_failed_at", "disabled_at", "disabled_reason") OVERRIDING SYSTEM VALUE VALUES
('ep_01kk1602m0ztm8c79q6qwxf6fe', 'demo-shop', 0, 'https://shop.example/hooks', 0, 'CrmP2eE8RqZwlicIglQJtspjZ5U5Hdr6cHd3fM31taNn56WfRlVVEj2onmrgSVMk7DI0yut37p5JrihJGAaAR3uOGhmWlnc_6FB_U4oe', null, null, 1772787600000, 1772788257500, 1772788299500, null, null);
INSERT INTO "account" ("id", "name", "role", "merchant_id", "password", "seed", "next_seed", "last_step", "code_digest", "code_until", "last_network", "created_at", "disabled_at", "decides_from") OVERRIDING SYSTEM VALUE VALUES
('acc_of_adwoa', 'adwoa', 'admin', null, null, null, null, 0, null, null, null, 4102444800000, null, null),
('acc_of_ama', 'ama', 'lead', null, null, null, null, 0, null, null, null, 4102444800000, null, null),
('acc_of_kofi', 'kofi', 'finance', null, null, null, null, 0, null, null, null, 4102444800000, null, null);
INSERT INTO "account_session" ("digest", "id", "account_id", "kind", "created_at", "seen_at", "confirmed_at") OVERRIDING SYSTEM VALUE VALUES
('308a8512e49494e8605fbb44b9c71e96a26edfcbeb3792d2429db5d13d32fec2', 'ses_of_ama', 'acc_of_ama', 'command', 4102444800000, 4102444800000, 4102444800000),
('6ecb2582f8ea61ee0e4cc0c420610ebc4d9e20d0f79ab987d47be40cb1adb7d0', 'ses_of_adwoa', 'acc_of_adwoa', 'command', 4102444800000, 4102444800000, 4102444800000),
('ae6254b3c37433c4e2564d0d845415e57a22d452ffd7d60d3606d03fa5aac256', 'ses_of_kofi', 'acc_of_kofi', 'command', 4102444800000, 4102444800000, 4102444800000);
INSERT INTO "notification" ("endpoint_id", "event_id", "merchant_id", "livemode", "type", "collection_id", "body", "at", "state", "next_at", "fence", "planned_at", "tries") OVERRIDING SYSTEM VALUE VALUES
('ep_01kk1602m0ztm8c79q6qwxf6fe', 'evt_01kk1609yc9vm28hwdvdy2dhft_1_0_mmenywgc', 'demo-shop', 0, 'payment.opened', 'col_01kk1609yc9vm28hwdvdy2dhft', '{"type":"payment.opened","timestamp":"2026-03-06T09:00:07.500Z","data":{"id":"col_01kk1609yc9vm28hwdvdy2dhft","sequence":1,"status":"open","confirmed":false,"reason":null,"review":null,"late":false,"livemode":false,"merchant":"demo-shop","channel":"africastalking","reference":"59814963","short_reference":"59814963","answers":[],"retry_of":null,"payer":"23324****401","network":"mtn","currency":"GHS","price_minor":2000,"fee_minor":null,"amount_minor":null,"net_minor":null,"opened_at":"2026-03-06T09:00:07.500Z","paid_at":null,"closed_at":null}}', 1772787607500, 'delivered', null, 1, 1772787607500, 0),
('ep_01kk1602m0ztm8c79q6qwxf6fe', 'evt_01kk1609yc9vm28hwdvdy2dhft_5_0_mmenyxm0', 'demo-shop', 0, 'payment.paid', 'col_01kk1609yc9vm28hwdvdy2dhft', '{"type":"payment.paid","timestamp":"2026-03-06T09:00:09.000Z","data":{"id":"col_01kk1609yc9vm28hwdvdy2dhft","sequence":5,"status":"paid","confirmed":false,"reason":null,"review":null,"late":false,"livemode":false,"merchant":"demo-shop","channel":"africastalking","reference":"59814963","short_reference":"59814963","answers":[],"retry_of":null,"payer":"23324****401","network":"mtn","currency":"GHS","price_minor":2000,"fee_minor":20,"amount_minor":2020,"net_minor":2000,"opened_at":"2026-03-06T09:00:07.500Z","paid_at":"2026-03-06T09:00:09.000Z","closed_at":"2026-03-06T09:00:09.000Z"}}', 1772787609000, 'delivered', null, 1, 1772787609000, 0),
('ep_01kk1602m0ztm8c79q6qwxf6fe', 'evt_01kk1609yc9vm28hwdvdy2dhft_6_0_mmenyxm0', 'demo-shop', 0, 'payment.paid', 'col_01kk1609yc9vm28hwdvdy2dhft', '{"type":"payment.paid","timestamp":"2026-03-06T09:00:09.000Z","data":{"id":"col_01kk1609yc9vm28hwdvdy2dhft","sequence":6,"status":"paid","confirmed":true,"reason":null,"review":null,"late":false,"livemode":false,"merchant":"demo-shop","channel":"africastalking","reference":"59814963","short_reference":"59814963","answers":[],"retry_of":null,"payer":"23324****401","network":"mtn","currency":"GHS","price_minor":2000,"fee_minor":20,"amount_minor":2020,"net_minor":2000,"opened_at":"2026-03-06T09:00:07.500Z","paid_at":"2026-03-06T09:00:09.000Z","closed_at":"2026-03-06T09:00:09.000Z"}}', 1772787609000, 'delivered', null, 1, 1772787609000, 0),
('ep_01kk1602m0ztm8c79q6qwxf6fe', 'evt_01kk160wg4nrc1qnvb0ah20jtf_1_0_mmenzb44', 'demo-shop', 0, 'payment.opened', 'col_01kk160wg4nrc1qnvb0ah20jtf', '{"type":"payment.opened","timestamp":"2026-03-06T09:00:26.500Z","data":{"id":"col_01kk160wg4nrc1qnvb0ah20jtf","sequence":1,"status":"open","confirmed":false,"reason":null,"review":null,"late":false,"livemode":false,"merchant":"demo-shop","channel":"africastalking","reference":"68814159","short_reference":"68814159","answers":[],"retry_of":null,"payer":"23324****402","network":"mtn","currency":"GHS","price_minor":2000,"fee_minor":null,"amount_minor":null,"net_minor":null,"opened_at":"2026-03-06T09:00:26.500Z","paid_at":null,"closed_at":null}}', 1772787626500, 'delivered', null, 1, 1772787626500, 0),
('ep_01kk1602m0ztm8c79q6qwxf6fe', 'evt_01kk160wg4nrc1qnvb0ah20jtf_8_0_mmenzc9s', 'demo-shop', 0, 'payment.not_paid', 'col_01kk160wg4nrc1qnvb0ah20jtf', '{"type":"payment.not_paid","timestamp":"2026-03-06T09:00:28.000Z","data":{"id":"col_01kk160wg4nrc1qnvb0ah20jtf","sequence":8,"status":"not_paid","confirmed":false,"reason":"declined","review":null,"late":false,"livemode":false,"merchant":"demo-shop","channel":"africastalking","reference":"68814159","short_reference":"68814159","answers":[],"retry_of":null,"payer":"23324****402","network":"mtn","currency":"GHS","price_minor":2000,"fee_minor":20,"amount_minor":2020,"net_minor":2000,"opened_at":"2026-03-06T09:00:26.500Z","paid_at":null,"closed_at":"2026-03-06T09:00:28.000Z"}}', 1772787628000, 'delivered', null, 1, 1772787628000, 0),
('ep_01kk1602m0ztm8c79q6qwxf6fe', 'evt_01kk16159c6b0h0xkk5khsstgd_1_0_mmenzi24', 'demo-shop', 0, 'payment.opened', 'col_01kk16159c6b0h0xkk5khsstgd', '{"type":"payment.opened","timestamp":"2026-03-06T09:00:35.500Z","data":{"id":"col_01kk16159c6b0h0xkk5khsstgd","sequence":1,"status":"open","confirmed":false,"reason":null,"review":null,"late":false,"livemode":false,"merchant":"demo-shop","channel":"africastalking","reference":"97861163","short_reference":"97861163","answers":[],"retry_of":null,"payer":"23324****906","network":"mtn","currency":"GHS","price_minor":2000,"fee_minor":null,"amount_minor":null,"net_minor":null,"opened_at":"2026-03-06T09:00:35.500Z","paid_at":null,"closed_at":null}}', 1772787635500, 'delivered', null, 1, 1772787635500, 0),
('ep_01kk1602m0ztm8c79q6qwxf6fe', 'evt_01kk16159c6b0h0xkk5khsstgd_7_0_mmenzlj4', 'demo-shop', 0, 'payment.review_opened', 'col_01kk16159c6b0h0xkk5khsstgd', '{"type":"payment.review_opened","timestamp":"2026-03-06T09:00:40.000Z","data":{"id":"col_01kk16159c6b0h0xkk5khsstgd","sequence":7,"status":"review","confirmed":false,"reason":"amount_mismatch","review":"amount_mismatch","late":false,"livemode":false,"merchant":"demo-shop","channel":"africastalking","reference":"97861163","short_reference":"97861163","answers":[],"retry_of":null,"payer":"23324****906","network":"mtn","currency":"GHS","price_minor":2000,"fee_minor":20,"amount_minor":1010,"net_minor":2000,"opened_at":"2026-03-06T09:00:35.500Z","paid_at":null,"closed_at":"2026-03-06T09:00:40.000Z"}}', 1772787640000, 'delivered', null, 1, 1772787640000, 0),
('ep_01kk1602m0ztm8c79q6qwxf6fe', 'evt_01kk16ktyckv6tqkm67v1qevdf_1_0_mmeocma4', 'demo-shop', 0, 'payment.opened', 'col_01kk16ktyckv6tqkm67v1qevdf', '{"type":"payment.opened","timestamp":"2026-03-06T09:10:47.500Z","data":{"id":"col_01kk16ktyckv6tqkm67v1qevdf","sequence":1,"status":"open","confirmed":false,"reason":null,"review":null,"late":false,"livemode":false,"merchant":"demo-shop","channel":"africastalking","reference":"01315593","short_reference":"01315593","answers":[],"retry_of":null,"payer":"23324****404","network":"mtn","currency":"GHS","price_minor":2000,"fee_minor":null,"amount_minor":null,"net_minor":null,"opened_at":"2026-03-06T09:10:47.500Z","paid_at":null,"closed_at":null}}', 1772788247500, 'delivered', null, 1, 1772788247500, 0),
('ep_01kk1602m0ztm8c79q6qwxf6fe', 'evt_01kk16ktyckv6tqkm67v1qevdf_7_0_mmeocnfs', 'demo-shop', 0, 'payment.review_opened', 'col_01kk16ktyckv6tqkm67v1qevdf', '{"type":"payment.review_opened","timestamp":"2026-03-06T09:10:49.000Z","data":{"id":"col_01kk16ktyckv6tqkm67v1qevdf","sequence":7,"status":"review","confirmed":false,"reason":"amount_mismatch","review":"amount_mismatch","late":false,"livemode":false,"merchant":"demo-shop","channel":"africastalking","reference":"01315593","short_reference":"01315593","answers":[],"retry_of":null,"payer":"23324****404","network":"mtn","currency":"GHS","price_minor":2000,"fee_minor":20,"amount_minor":1010,"net_minor":2000,"opened_at":"2026-03-06T09:10:47.500Z","paid_at":"2026-03-06T09:00:29.000Z","closed_at":"2026-03-06T09:10:49.000Z"}}', 1772788249000, 'delivered', null, 1, 1772788249000, 0),
('ep_01kk1602m0ztm8c79q6qwxf6fe', 'evt_01kk16m4pwa8espas9hd1qvf75_1_0_mmeoctzw', 'demo-shop', 0, 'payment.opened', 'col_01kk16m4pwa8espas9hd1qvf75', '{"type":"payment.opened","timestamp":"2026-03-06T09:10:57.500Z","data":{"id":"col_01kk16m4pwa8espas9hd1qvf75","sequence":1,"status":"open","confirmed":false,"reason":null,"review":null,"late":false,"livemode":false,"merchant":"demo-shop","channel":"africastalking","reference":"79018646","short_reference":"79018646","answers":[],"retry_of":null,"payer":"23324****405","network":"mtn","currency":"GHS","price_minor":2000,"fee_minor":null,"amount_minor":null,"net_minor":null,"opened_at":"2026-03-06T09:10:57.500Z","paid_at":null,"closed_at":null}}', 1772788257500, 'waiting', 1772788540720, 2, 1772788257500, 2),
('ep_01kk1602m0ztm8c79q6qwxf6fe', 'evt_01kk16m4pwa8espas9hd1qvf75_5_0_mmeocv5k', 'demo-shop', 0, 'payment.paid', 'col_01kk16m4pwa8espas9hd1qvf75', '{"type":"payment.paid","timestamp":"2026-03-06T09:10:59.000Z","data":{"id":"col_01kk16m4pwa8espas9hd1qvf75","sequence":5,"status":"paid","confirmed":false,"reason":null,"review":null,"late":false,"livemode":false,"merchant":"demo-shop","channel":"africastalking","reference":"79018646","short_reference":"79018646","answers":[],"retry_of":null,"payer":"23324****405","network":"mtn","currency":"GHS","price_minor":2000,"fee_minor":20,"amount_minor":2020,"net_minor":2000,"opened_at":"2026-03-06T09:10:57.500Z","paid_at":"2026-03-06T09:00:29.000Z","closed_at":"2026-03-06T09:10:59.000Z"}}', 1772788259000, 'waiting', 1772788538993, 2, 1772788259000, 2),
('ep_01kk1602m0ztm8c79q6qwxf6fe', 'evt_01kk16mdg4nywkwtdhvk80p68q_1_0_mmeod0xw', 'demo-shop', 0, 'payment.opened', 'col_01kk16mdg4nywkwtdhvk80p68q', '{"type":"payment.opened","timestamp":"2026-03-06T09:11:06.500Z","data":{"id":"col_01kk16mdg4nywkwtdhvk80p68q","sequence":1,"status":"open","confirmed":false,"reason":null,"review":null,"late":false,"livemode":false,"merchant":"demo-shop","channel":"africastalking","reference":"87403440","short_reference":"87403440","answers":[],"retry_of":null,"payer":"23324****406","network":"mtn","currency":"GHS","price_minor":2000,"fee_minor":null,"amount_minor":null,"net_minor":null,"opened_at":"2026-03-06T09:11:06.500Z","paid_at":null,"closed_at":null}}', 1772788266500, 'waiting', 1772788594623, 2, 1772788266500, 2),
('ep_01kk1602m0ztm8c79q6qwxf6fe', 'evt_01kk16mp9c08xjpa1pg16c4ecj_1_0_mmeod7vw', 'demo-shop', 0, 'payment.opened', 'col_01kk16mp9c08xjpa1pg16c4ecj', '{"type":"payment.opened","timestamp":"2026-03-06T09:11:15.500Z","data":{"id":"col_01kk16mp9c08xjpa1pg16c4ecj","sequence":1,"status":"open","confirmed":false,"reason":null,"review":null,"late":false,"livemode":false,"merchant":"demo-shop","channel":"africastalking","reference":"96366715","short_reference":"96366715","answers":[],"retry_of":null,"payer":"23324****407","network":"mtn","currency":"GHS","price_minor":2000,"fee_minor":null,"amount_minor":null,"net_minor":null,"opened_at":"2026-03-06T09:11:15.500Z","paid_at":null,"closed_at":null}}', 1772788275500, 'waiting', 1772788585290, 2, 1772788275500, 2),
('ep_01kk1602m0ztm8c79q6qwxf6fe', 'evt_01kk16mz2mpcvkdsethdx7d7hk_1_0_mmeodetw', 'demo-shop', 0, 'payment.opened', 'col_01kk16mz2mpcvkdsethdx7d7hk', '{"type":"payment.opened","timestamp":"2026-03-06T09:11:24.500Z","data":{"id":"col_01kk16mz2mpcvkdsethdx7d7hk","sequence":1,"status":"open","confirmed":false,"reason":null,"review":null,"late":false,"livemode":false,"merchant":"demo-shop","channel":"africastalking","reference":"74900465","short_reference":"74900465","answers":[],"retry_of":null,"payer":"23324****408","network":"mtn","currency":"GHS","price_minor":2000,"fee_minor":null,"amount_minor":null,"net_minor":null,"opened_at":"2026-03-06T09:11:24.500Z","paid_at":null,"closed_at":null}}', 1772788284500, 'waiting', 1772788569948, 2, 1772788284500, 2),
('ep_01kk1602m0ztm8c79q6qwxf6fe', 'evt_01kk16n6d02vgvetweybzpatbz_1_0_mmeodkm8', 'demo-shop', 0, 'payment.opened', 'col_01kk16n6d02vgvetweybzpatbz', '{"type":"payment.opened","timestamp":"2026-03-06T09:11:32.000Z","data":{"id":"col_01kk16n6d02vgvetweybzpatbz","sequence":1,"status":"open","confirmed":false,"reason":null,"review":null,"late":false,"livemode":false,"merchant":"demo-shop","channel":"africastalking","reference":"35254201","short_reference":"35254201","answers":[],"retry_of":null,"payer":"23324****409","network":"mtn","currency":"GHS","price_minor":2000,"fee_minor":null,"amount_minor":null,"net_minor":null,"opened_at":"2026-03-06T09:11:32.000Z","paid_at":null,"closed_at":null}}', 1772788292000, 'waiting', 1772788575000, 2, 1772788292000, 2),
('ep_01kk1602m0ztm8c79q6qwxf6fe', 'evt_01kk16ndqcbrdnwwq08jf04a13_1_0_mmeodqek', 'demo-shop', 0, 'payment.opened', 'col_01kk16ndqcbrdnwwq08jf04a13', '{"type":"payment.opened","timestamp":"2026-03-06T09:11:39.500Z","data":{"id":"col_01kk16ndqcbrdnwwq08jf04a13","sequence":1,"status":"open","confirmed":false,"reason":null,"review":null,"late":false,"livemode":false,"merchant":"demo-shop","channel":"africastalking","reference":"69719083","short_reference":"69719083","answers":[],"retry_of":null,"payer":"23324****410","network":"mtn","currency":"GHS","price_minor":2000,"fee_minor":null,"amount_minor":null,"net_minor":null,"opened_at":"2026-03-06T09:11:39.500Z","paid_at":null,"closed_at":null}}', 1772788299500, 'waiting', 1772788304577, 1, 1772788299500, 1);
INSERT INTO "notification_attempt" ("endpoint_id", "event_id", "number", "started_at", "duration_ms", "status", "error", "answer") OVERRIDING SYSTEM VALUE VALUES
('ep_01kk1602m0ztm8c79q6qwxf6fe', 'evt_01kk1609yc9vm28hwdvdy2dhft_1_0_mmenywgc', 1, 1772787607500, 0, 200, null, 'ok'),
('ep_01kk1602m0ztm8c79q6qwxf6fe', 'evt_01kk1609yc9vm28hwdvdy2dhft_5_0_mmenyxm0', 1, 1772787609050, 0, 200, null, 'ok'),
('ep_01kk1602m0ztm8c79q6qwxf6fe', 'evt_01kk1609yc9vm28hwdvdy2dhft_6_0_mmenyxm0', 1, 1772787609050, 0, 200, null, 'ok'),
('ep_01kk1602m0ztm8c79q6qwxf6fe', 'evt_01kk160wg4nrc1qnvb0ah20jtf_1_0_mmenzb44', 1, 1772787626500, 0, 200, null, 'ok'),
('ep_01kk1602m0ztm8c79q6qwxf6fe', 'evt_01kk160wg4nrc1qnvb0ah20jtf_8_0_mmenzc9s', 1, 1772787628050, 0, 200, null, 'ok'),
('ep_01kk1602m0ztm8c79q6qwxf6fe', 'evt_01kk16159c6b0h0xkk5khsstgd_1_0_mmenzi24', 1, 1772787635500, 0, 200, null, 'ok'),
('ep_01kk1602m0ztm8c79q6qwxf6fe', 'evt_01kk16159c6b0h0xkk5khsstgd_7_0_mmenzlj4', 1, 1772787640050, 0, 200, null, 'ok'),
('ep_01kk1602m0ztm8c79q6qwxf6fe', 'evt_01kk16ktyckv6tqkm67v1qevdf_1_0_mmeocma4', 1, 1772788247500, 0, 200, null, 'ok'),
('ep_01kk1602m0ztm8c79q6qwxf6fe', 'evt_01kk16ktyckv6tqkm67v1qevdf_7_0_mmeocnfs', 1, 1772788249050, 0, 200, null, 'ok'),
('ep_01kk1602m0ztm8c79q6qwxf6fe', 'evt_01kk16m4pwa8espas9hd1qvf75_1_0_mmeoctzw', 1, 1772788257500, 0, 500, null, 'later'),
('ep_01kk1602m0ztm8c79q6qwxf6fe', 'evt_01kk16m4pwa8espas9hd1qvf75_1_0_mmeoctzw', 2, 1772788262433, 0, 500, null, 'later'),
('ep_01kk1602m0ztm8c79q6qwxf6fe', 'evt_01kk16m4pwa8espas9hd1qvf75_5_0_mmeocv5k', 1, 1772788259050, 0, 500, null, 'later'),
('ep_01kk1602m0ztm8c79q6qwxf6fe', 'evt_01kk16m4pwa8espas9hd1qvf75_5_0_mmeocv5k', 2, 1772788263895, 0, 500, null, 'later'),
('ep_01kk1602m0ztm8c79q6qwxf6fe', 'evt_01kk16mdg4nywkwtdhvk80p68q_1_0_mmeod0xw', 1, 1772788266500, 0, 500, null, 'later'),
('ep_01kk1602m0ztm8c79q6qwxf6fe', 'evt_01kk16mdg4nywkwtdhvk80p68q_1_0_mmeod0xw', 2, 1772788271803, 0, 500, null, 'later'),
('ep_01kk1602m0ztm8c79q6qwxf6fe', 'evt_01kk16mp9c08xjpa1pg16c4ecj_1_0_mmeod7vw', 1, 1772788275500, 0, 500, null, 'later'),
('ep_01kk1602m0ztm8c79q6qwxf6fe', 'evt_01kk16mp9c08xjpa1pg16c4ecj_1_0_mmeod7vw', 2, 1772788280446, 0, 500, null, 'later'),
('ep_01kk1602m0ztm8c79q6qwxf6fe', 'evt_01kk16mz2mpcvkdsethdx7d7hk_1_0_mmeodetw', 1, 1772788284500, 0, 500, null, 'later'),
('ep_01kk1602m0ztm8c79q6qwxf6fe', 'evt_01kk16mz2mpcvkdsethdx7d7hk_1_0_mmeodetw', 2, 1772788289481, 0, 500, null, 'later'),
('ep_01kk1602m0ztm8c79q6qwxf6fe', 'evt_01kk16n6d02vgvetweybzpatbz_1_0_mmeodkm8', 1, 1772788292050, 0, 500, null, 'later'),
('ep_01kk1602m0ztm8c79q6qwxf6fe', 'evt_01kk16n6d02vgvetweybzpatbz_1_0_mmeodkm8', 2, 1772788297243, 0, 500, null, 'later'),
('ep_01kk1602m0ztm8c79q6qwxf6fe', 'evt_01kk16ndqcbrdnwwq08jf04a13_1_0_mmeodqek', 1, 1772788299500, 0, 500, null, 'later');
INSERT INTO "ledger_file" ("id", "cluster") OVERRIDING SYSTEM VALUE VALUES
('led_01kk1602m0ztm8c79q6qwxf6fc', null);
