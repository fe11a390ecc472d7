BEGIN TRANSACTION;
CREATE TABLE agents (
	id VARCHAR NOT NULL, 
	name VARCHAR NOT NULL, 
	created_at VARCHAR NOT NULL, 
	deleted_at VARCHAR, 
	origin_id VARCHAR, 
	PRIMARY KEY (id)
);
INSERT INTO "agents" VALUES('ag-3nc7cv9jhwd9a1bf','main','2026-11-30T09:45:45.511014+00:00',NULL,NULL);
CREATE TABLE block_uses (
	conversation VARCHAR NOT NULL, 
	label VARCHAR NOT NULL, 
	stream VARCHAR NOT NULL, 
	seq INTEGER NOT NULL, 
	revision INTEGER NOT NULL, 
	PRIMARY KEY (conversation, label)
);
INSERT INTO "block_uses" VALUES('cv-4zpe5k8sd9eem4ww','human','ag-3nc7cv9jhwd9a1bf',17,3);
INSERT INTO "block_uses" VALUES('cv-4zpe5k8sd9eem4ww','persona','ag-3nc7cv9jhwd9a1bf',0,1);
CREATE TABLE blocks (
	"row" INTEGER NOT NULL, 
	stream VARCHAR NOT NULL, 
	user VARCHAR NOT NULL, 
	label VARCHAR NOT NULL, 
	description TEXT NOT NULL, 
	value TEXT NOT NULL, 
	"limit" INTEGER NOT NULL, 
	read_only BOOLEAN NOT NULL, 
	pinned BOOLEAN NOT NULL, 
	revision INTEGER NOT NULL, 
	writer VARCHAR NOT NULL, 
	at VARCHAR NOT NULL, 
	from_seq INTEGER NOT NULL, 
	to_seq INTEGER, 
	PRIMARY KEY ("row")
);
INSERT INTO "blocks" VALUES(1,'ag-3nc7cv9jhwd9a1bf','','persona','Who you are and how you speak.','I am a helpful assistant with a long memory. I am friendly, plain and brief. I say when I do not know something.',5000,0,1,1,'system','2026-11-30T09:45:45.518298+00:00',3,NULL);
INSERT INTO "blocks" VALUES(2,'ag-3nc7cv9jhwd9a1bf','user','human','What you know about the user.','What I know about the user:',5000,0,1,1,'system','2026-11-30T09:45:45.519479+00:00',4,9);
INSERT INTO "blocks" VALUES(3,'ag-3nc7cv9jhwd9a1bf','user','human','What you know about the user.','What I know about the user:
The user is allergic to peanuts.',5000,0,1,2,'agent','2026-11-30T09:45:46.117570+00:00',9,16);
INSERT INTO "blocks" VALUES(4,'ag-3nc7cv9jhwd9a1bf','user','human','What you know about the user.','What I know about the user:
The user is allergic to peanuts.
The user lives in Berlin.',5000,0,1,3,'agent','2026-11-30T09:45:48.013349+00:00',16,21);
INSERT INTO "blocks" VALUES(5,'ag-3nc7cv9jhwd9a1bf','user','human','What you know about the user.','What I know about the user:
The user is allergic to peanuts.',5000,0,1,4,'user','2026-11-30T09:45:50.129809+00:00',21,NULL);
CREATE TABLE conversations (
	"row" INTEGER NOT NULL, 
	stream VARCHAR NOT NULL, 
	id VARCHAR NOT NULL, 
	name VARCHAR NOT NULL, 
	user VARCHAR NOT NULL, 
	created_at VARCHAR NOT NULL, 
	origin_id VARCHAR, 
	from_seq INTEGER NOT NULL, 
	to_seq INTEGER, 
	PRIMARY KEY ("row")
);
INSERT INTO "conversations" VALUES(1,'ag-3nc7cv9jhwd9a1bf','cv-4zpe5k8sd9eem4ww','main','user','2026-11-30T09:45:45.512466+00:00',NULL,2,NULL);
CREATE TABLE counters (
	conversation VARCHAR NOT NULL, 
	name VARCHAR NOT NULL, 
	stream VARCHAR NOT NULL, 
	value INTEGER NOT NULL, 
	PRIMARY KEY (conversation, name)
);
CREATE TABLE epochs (
	"row" INTEGER NOT NULL, 
	stream VARCHAR NOT NULL, 
	id VARCHAR NOT NULL, 
	conversation VARCHAR NOT NULL, 
	number INTEGER NOT NULL, 
	reason VARCHAR NOT NULL, 
	model VARCHAR NOT NULL, 
	system TEXT NOT NULL, 
	tools JSON NOT NULL, 
	head TEXT NOT NULL, 
	resident JSON NOT NULL, 
	summary TEXT NOT NULL, 
	first INTEGER NOT NULL, 
	lead INTEGER NOT NULL, 
	boundary INTEGER NOT NULL, 
	cut INTEGER NOT NULL, 
	cap INTEGER NOT NULL, 
	date VARCHAR NOT NULL, 
	from_seq INTEGER NOT NULL, 
	to_seq INTEGER, 
	PRIMARY KEY ("row")
);
INSERT INTO "epochs" VALUES(1,'ag-3nc7cv9jhwd9a1bf','ep-jhp6nzb86akn7e4g','cv-4zpe5k8sd9eem4ww',1,'opened','offline','You keep your own memory.','[]','<core_memory/>','{"human":1,"persona":1}','',0,0,1,0,5600,'2026-11-30',6,20);
INSERT INTO "epochs" VALUES(2,'ag-3nc7cv9jhwd9a1bf','ep-jhp6nzb86akn7e4g','cv-4zpe5k8sd9eem4ww',1,'stale: something was forgotten','offline','You keep your own memory.','[]','<core_memory/>','{"human":1,"persona":1}','',0,0,1,0,5600,'2026-11-30',20,NULL);
CREATE TABLE events (
	"row" INTEGER NOT NULL, 
	id VARCHAR NOT NULL, 
	stream VARCHAR NOT NULL, 
	seq INTEGER NOT NULL, 
	conversation VARCHAR, 
	turn VARCHAR, 
	step INTEGER, 
	at VARCHAR NOT NULL, 
	type VARCHAR NOT NULL, 
	version INTEGER NOT NULL, 
	writer VARCHAR NOT NULL, 
	cause VARCHAR, 
	payload JSON NOT NULL, 
	PRIMARY KEY ("row"), 
	UNIQUE (stream, seq), 
	UNIQUE (id)
);
INSERT INTO "events" VALUES(1,'ev-swxwnbtwhnvya7b7','ag-3nc7cv9jhwd9a1bf',1,NULL,NULL,NULL,'2026-11-30T09:45:45.511014+00:00','agent.created',1,'user',NULL,'{"name":"main"}');
INSERT INTO "events" VALUES(2,'ev-31s3yajjah8wcb9s','ag-3nc7cv9jhwd9a1bf',2,'cv-4zpe5k8sd9eem4ww',NULL,NULL,'2026-11-30T09:45:45.512466+00:00','conversation.created',1,'user',NULL,'{"id":"cv-4zpe5k8sd9eem4ww","name":"main","user":"user"}');
INSERT INTO "events" VALUES(3,'ev-pq3nc5xw507h4f4e','ag-3nc7cv9jhwd9a1bf',3,NULL,NULL,NULL,'2026-11-30T09:45:45.518298+00:00','block.created',1,'system',NULL,'{"label":"persona","user":"","description":"Who you are and how you speak.","value":"I am a helpful assistant with a long memory. I am friendly, plain and brief. I say when I do not know something.","limit":5000,"read_only":false,"pinned":true,"revision":1}');
INSERT INTO "events" VALUES(4,'ev-9y8dzfhxck2xyqae','ag-3nc7cv9jhwd9a1bf',4,NULL,NULL,NULL,'2026-11-30T09:45:45.519479+00:00','block.created',1,'system',NULL,'{"label":"human","user":"user","description":"What you know about the user.","value":"What I know about the user:","limit":5000,"read_only":false,"pinned":true,"revision":1}');
INSERT INTO "events" VALUES(5,'ev-dmwwcb1tznm72m3g','ag-3nc7cv9jhwd9a1bf',5,'cv-4zpe5k8sd9eem4ww',NULL,NULL,'2026-11-30T09:45:45.880815+00:00','input.queued',1,'user',NULL,'{"id":"in-9hfk2kzx54g2w6nt","user":"user","text":"I''m allergic to peanuts.","owner":"ow-saaybht2wvya7w9j"}');
INSERT INTO "events" VALUES(6,'ev-jem4mxwe1wggaefb','ag-3nc7cv9jhwd9a1bf',6,'cv-4zpe5k8sd9eem4ww',NULL,NULL,'2026-11-30T09:45:45.892559+00:00','epoch.started',1,'system',NULL,'{"id":"ep-jhp6nzb86akn7e4g","number":1,"reason":"opened","model":"offline","system":"You keep your own memory.","tools":[],"head":"<core_memory/>","resident":{"human":1,"persona":1},"summary":"","first":0,"lead":0,"boundary":1,"cut":0,"cap":5600,"date":"2026-11-30","counts":{}}');
INSERT INTO "events" VALUES(7,'ev-8t3frkmy8b3nzj1n','ag-3nc7cv9jhwd9a1bf',7,'cv-4zpe5k8sd9eem4ww','tn-t64sx1tj0nx1tkk6',1,'2026-11-30T09:45:45.899271+00:00','turn.started',1,'user',NULL,'{"input":"in-9hfk2kzx54g2w6nt","owner":"ow-saaybht2wvya7w9j","text":"I''m allergic to peanuts.","message":{"id":"m-wjbhrfn7gxdfa9sm","parts":[{"type":"text","text":"I''m allergic to peanuts."}]},"used":{},"counts":{}}');
INSERT INTO "events" VALUES(8,'ev-gpdgjn4xevweq324','ag-3nc7cv9jhwd9a1bf',8,'cv-4zpe5k8sd9eem4ww','tn-t64sx1tj0nx1tkk6',1,'2026-11-30T09:45:46.073829+00:00','model.replied',1,'agent',NULL,'{"message":{"id":"m-ayccej4sthtybshg","parts":[],"calls":[{"id":"c6bem117f","name":"core_memory_append","arguments":"{\"content\": \"The user is allergic to peanuts.\", \"label\": \"human\"}"}]},"model":"offline","finish":"calls","usage":[null,null,null]}');
INSERT INTO "events" VALUES(9,'ev-t8sfdzr0rfhjawqj','ag-3nc7cv9jhwd9a1bf',9,'cv-4zpe5k8sd9eem4ww','tn-t64sx1tj0nx1tkk6',1,'2026-11-30T09:45:46.117570+00:00','block.edited',1,'agent',NULL,'{"label":"human","user":"user","revision":2,"changes":{"value":"What I know about the user:\nThe user is allergic to peanuts."}}');
INSERT INTO "events" VALUES(10,'ev-qvfvzchsnbarf0cj','ag-3nc7cv9jhwd9a1bf',10,'cv-4zpe5k8sd9eem4ww','tn-t64sx1tj0nx1tkk6',1,'2026-11-30T09:45:46.119777+00:00','call.result',1,'agent',NULL,'{"message":{"id":"m-2dfsark32fnp4pfc","call_id":"c6bem117f","parts":[{"type":"text","text":"Changed block human from revision 1 to 2, 60 of 5,000 characters."},{"type":"edit","label":"human","from":1,"to":2,"line":2,"old":[],"new":["The user is allergic to peanuts."]}]},"name":"core_memory_append","error":false,"used":{"human":2},"released":[],"counts":{}}');
INSERT INTO "events" VALUES(11,'ev-sj9p31sz763kvpmc','ag-3nc7cv9jhwd9a1bf',11,'cv-4zpe5k8sd9eem4ww','tn-t64sx1tj0nx1tkk6',2,'2026-11-30T09:45:46.151662+00:00','model.replied',1,'agent',NULL,'{"message":{"id":"m-a9gkntxwtf0y70a0","parts":[{"type":"text","text":"Noted: You are allergic to peanuts. [human]"}],"calls":[]},"model":"offline","finish":"stop","usage":[null,null,null]}');
INSERT INTO "events" VALUES(12,'ev-w2830qhhr5gbbg3v','ag-3nc7cv9jhwd9a1bf',12,'cv-4zpe5k8sd9eem4ww','tn-t64sx1tj0nx1tkk6',2,'2026-11-30T09:45:46.152523+00:00','turn.ended',1,'system',NULL,'{"reason":"done","error":""}');
INSERT INTO "events" VALUES(13,'ev-bqxvpm3htb34mer7','ag-3nc7cv9jhwd9a1bf',13,'cv-4zpe5k8sd9eem4ww',NULL,NULL,'2026-11-30T09:45:47.549576+00:00','input.queued',1,'user',NULL,'{"id":"in-vdqds16wz065gj3d","user":"user","text":"I live in Berlin.","owner":"ow-3vqbcktwr1sgyj3y"}');
INSERT INTO "events" VALUES(14,'ev-z6xvbtn7cqgcdyd4','ag-3nc7cv9jhwd9a1bf',14,'cv-4zpe5k8sd9eem4ww','tn-bf2dgfje41pgxt0r',1,'2026-11-30T09:45:47.738845+00:00','turn.started',1,'user',NULL,'{"input":"in-vdqds16wz065gj3d","owner":"ow-3vqbcktwr1sgyj3y","text":"I live in Berlin.","message":{"id":"m-a4erakkzhft7gh38","parts":[{"type":"text","text":"I live in Berlin."}]},"used":{},"counts":{}}');
INSERT INTO "events" VALUES(15,'ev-1ecmhsqyf12740sz','ag-3nc7cv9jhwd9a1bf',15,'cv-4zpe5k8sd9eem4ww','tn-bf2dgfje41pgxt0r',1,'2026-11-30T09:45:47.940968+00:00','model.replied',1,'agent',NULL,'{"message":{"id":"m-1pj67ch4r671gvbq","parts":[],"calls":[{"id":"c4ba8dmna","name":"core_memory_append","arguments":"{\"content\": \"The user lives in Berlin.\", \"label\": \"human\"}"}]},"model":"offline","finish":"calls","usage":[null,null,null]}');
INSERT INTO "events" VALUES(16,'ev-byj8zj96der62njf','ag-3nc7cv9jhwd9a1bf',16,'cv-4zpe5k8sd9eem4ww','tn-bf2dgfje41pgxt0r',1,'2026-11-30T09:45:48.013349+00:00','block.edited',1,'agent',NULL,'{"label":"human","user":"user","revision":3,"changes":{"value":"What I know about the user:\nThe user is allergic to peanuts.\nThe user lives in Berlin."}}');
INSERT INTO "events" VALUES(17,'ev-425k2hhn40nq84m9','ag-3nc7cv9jhwd9a1bf',17,'cv-4zpe5k8sd9eem4ww','tn-bf2dgfje41pgxt0r',1,'2026-11-30T09:45:48.020910+00:00','call.result',1,'agent',NULL,'{"message":{"id":"m-n7xf2n1zs12wf2nw","call_id":"c4ba8dmna","parts":[{"type":"text","text":"Changed block human from revision 2 to 3, 86 of 5,000 characters."},{"type":"edit","label":"human","from":2,"to":3,"line":3,"old":[],"new":["The user lives in Berlin."]}]},"name":"core_memory_append","error":false,"used":{"human":3},"released":[],"counts":{}}');
INSERT INTO "events" VALUES(18,'ev-20sq4qw3sscgvkpb','ag-3nc7cv9jhwd9a1bf',18,'cv-4zpe5k8sd9eem4ww','tn-bf2dgfje41pgxt0r',2,'2026-11-30T09:45:48.038474+00:00','model.replied',1,'agent',NULL,'{"message":{"id":"m-vcn4z3zd0dxxtd0b","parts":[{"type":"text","text":"Noted: You live in Berlin. [human]"}],"calls":[]},"model":"offline","finish":"stop","usage":[null,null,null]}');
INSERT INTO "events" VALUES(19,'ev-va49dp487mr546b1','ag-3nc7cv9jhwd9a1bf',19,'cv-4zpe5k8sd9eem4ww','tn-bf2dgfje41pgxt0r',2,'2026-11-30T09:45:48.039345+00:00','turn.ended',1,'system',NULL,'{"reason":"done","error":""}');
INSERT INTO "events" VALUES(20,'ev-8f85210zd0qcq7dz','ag-3nc7cv9jhwd9a1bf',20,'cv-4zpe5k8sd9eem4ww',NULL,NULL,'2026-11-30T09:45:50.124865+00:00','memory.forgotten',1,'user',NULL,'{"items":[{"kind":"message","item":"m-a4erakkzhft7gh38","part":null},{"kind":"message","item":"m-vcn4z3zd0dxxtd0b","part":null},{"kind":"message","item":"m-1pj67ch4r671gvbq","part":null},{"kind":"message","item":"m-n7xf2n1zs12wf2nw","part":null}],"lines":[{"label":"human","user":"user","text":"The user lives in Berlin."}],"facts":[["berlin","live","user"]],"reason":"","summaries":{},"deferred":null}');
INSERT INTO "events" VALUES(21,'ev-a42rdpf6bfqdmhs4','ag-3nc7cv9jhwd9a1bf',21,'cv-4zpe5k8sd9eem4ww',NULL,NULL,'2026-11-30T09:45:50.129809+00:00','block.edited',1,'user','ev-8f85210zd0qcq7dz','{"label":"human","user":"user","revision":4,"changes":{"value":"What I know about the user:\nThe user is allergic to peanuts."}}');
CREATE TABLE inputs (
	id VARCHAR NOT NULL, 
	stream VARCHAR NOT NULL, 
	conversation VARCHAR NOT NULL, 
	user VARCHAR NOT NULL, 
	text TEXT NOT NULL, 
	owner VARCHAR NOT NULL, 
	at VARCHAR NOT NULL, 
	seq INTEGER NOT NULL, 
	state VARCHAR NOT NULL, 
	turn VARCHAR, 
	PRIMARY KEY (id)
);
INSERT INTO "inputs" VALUES('in-9hfk2kzx54g2w6nt','ag-3nc7cv9jhwd9a1bf','cv-4zpe5k8sd9eem4ww','user','I''m allergic to peanuts.','ow-saaybht2wvya7w9j','2026-11-30T09:45:45.880815+00:00',5,'taken','tn-t64sx1tj0nx1tkk6');
INSERT INTO "inputs" VALUES('in-vdqds16wz065gj3d','ag-3nc7cv9jhwd9a1bf','cv-4zpe5k8sd9eem4ww','user','I live in Berlin.','ow-3vqbcktwr1sgyj3y','2026-11-30T09:45:47.549576+00:00',13,'taken','tn-bf2dgfje41pgxt0r');
CREATE TABLE messages (
	"row" INTEGER NOT NULL, 
	stream VARCHAR NOT NULL, 
	id VARCHAR NOT NULL, 
	conversation VARCHAR NOT NULL, 
	user VARCHAR NOT NULL, 
	turn VARCHAR, 
	step INTEGER, 
	ordinal INTEGER NOT NULL, 
	session INTEGER NOT NULL, 
	role VARCHAR NOT NULL, 
	parts JSON NOT NULL, 
	calls JSON NOT NULL, 
	call_id VARCHAR, 
	partial BOOLEAN NOT NULL, 
	text TEXT NOT NULL, 
	at VARCHAR NOT NULL, 
	origin_id VARCHAR, 
	from_seq INTEGER NOT NULL, 
	to_seq INTEGER, 
	PRIMARY KEY ("row")
);
INSERT INTO "messages" VALUES(1,'ag-3nc7cv9jhwd9a1bf','m-wjbhrfn7gxdfa9sm','cv-4zpe5k8sd9eem4ww','user','tn-t64sx1tj0nx1tkk6',1,1,1,'user','[{"type":"text","text":"I''m allergic to peanuts."}]','[]',NULL,0,'I''m allergic to peanuts.','2026-11-30T09:45:45.899271+00:00',NULL,7,NULL);
INSERT INTO "messages" VALUES(2,'ag-3nc7cv9jhwd9a1bf','m-ayccej4sthtybshg','cv-4zpe5k8sd9eem4ww','user','tn-t64sx1tj0nx1tkk6',1,2,1,'assistant','[]','[{"id":"c6bem117f","name":"core_memory_append","arguments":"{\"content\": \"The user is allergic to peanuts.\", \"label\": \"human\"}"}]',NULL,0,'','2026-11-30T09:45:46.073829+00:00',NULL,8,NULL);
INSERT INTO "messages" VALUES(3,'ag-3nc7cv9jhwd9a1bf','m-2dfsark32fnp4pfc','cv-4zpe5k8sd9eem4ww','user','tn-t64sx1tj0nx1tkk6',1,3,1,'tool','[{"type":"text","text":"Changed block human from revision 1 to 2, 60 of 5,000 characters."},{"type":"edit","label":"human","from":1,"to":2,"line":2,"old":[],"new":["The user is allergic to peanuts."]}]','[]','c6bem117f',0,'','2026-11-30T09:45:46.119777+00:00',NULL,10,NULL);
INSERT INTO "messages" VALUES(4,'ag-3nc7cv9jhwd9a1bf','m-a9gkntxwtf0y70a0','cv-4zpe5k8sd9eem4ww','user','tn-t64sx1tj0nx1tkk6',2,4,1,'assistant','[{"type":"text","text":"Noted: You are allergic to peanuts. [human]"}]','[]',NULL,0,'Noted: You are allergic to peanuts. [human]','2026-11-30T09:45:46.151662+00:00',NULL,11,NULL);
INSERT INTO "messages" VALUES(5,'ag-3nc7cv9jhwd9a1bf','m-a4erakkzhft7gh38','cv-4zpe5k8sd9eem4ww','user','tn-bf2dgfje41pgxt0r',1,5,1,'user','[{"type":"text","text":"I live in Berlin."}]','[]',NULL,0,'I live in Berlin.','2026-11-30T09:45:47.738845+00:00',NULL,14,NULL);
INSERT INTO "messages" VALUES(6,'ag-3nc7cv9jhwd9a1bf','m-1pj67ch4r671gvbq','cv-4zpe5k8sd9eem4ww','user','tn-bf2dgfje41pgxt0r',1,6,1,'assistant','[]','[{"id":"c4ba8dmna","name":"core_memory_append","arguments":"{\"content\": \"The user lives in Berlin.\", \"label\": \"human\"}"}]',NULL,0,'','2026-11-30T09:45:47.940968+00:00',NULL,15,NULL);
INSERT INTO "messages" VALUES(7,'ag-3nc7cv9jhwd9a1bf','m-n7xf2n1zs12wf2nw','cv-4zpe5k8sd9eem4ww','user','tn-bf2dgfje41pgxt0r',1,7,1,'tool','[{"type":"text","text":"Changed block human from revision 2 to 3, 86 of 5,000 characters."},{"type":"edit","label":"human","from":2,"to":3,"line":3,"old":[],"new":["The user lives in Berlin."]}]','[]','c4ba8dmna',0,'','2026-11-30T09:45:48.020910+00:00',NULL,17,NULL);
INSERT INTO "messages" VALUES(8,'ag-3nc7cv9jhwd9a1bf','m-vcn4z3zd0dxxtd0b','cv-4zpe5k8sd9eem4ww','user','tn-bf2dgfje41pgxt0r',2,8,1,'assistant','[{"type":"text","text":"Noted: You live in Berlin. [human]"}]','[]',NULL,0,'Noted: You live in Berlin. [human]','2026-11-30T09:45:48.038474+00:00',NULL,18,NULL);
CREATE TABLE meta (
	"key" VARCHAR NOT NULL, 
	value TEXT NOT NULL, 
	PRIMARY KEY ("key")
);
INSERT INTO "meta" VALUES('schema','1');
CREATE TABLE outbox (
	n INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	kind VARCHAR NOT NULL, 
	item VARCHAR NOT NULL
);
INSERT INTO "outbox" VALUES(1,'message','m-wjbhrfn7gxdfa9sm');
INSERT INTO "outbox" VALUES(2,'message','m-a9gkntxwtf0y70a0');
INSERT INTO "outbox" VALUES(3,'message','m-a4erakkzhft7gh38');
INSERT INTO "outbox" VALUES(4,'message','m-vcn4z3zd0dxxtd0b');
INSERT INTO "outbox" VALUES(5,'message','m-a4erakkzhft7gh38');
INSERT INTO "outbox" VALUES(6,'message','m-vcn4z3zd0dxxtd0b');
INSERT INTO "outbox" VALUES(7,'message','m-1pj67ch4r671gvbq');
INSERT INTO "outbox" VALUES(8,'message','m-n7xf2n1zs12wf2nw');
CREATE TABLE passages (
	"row" INTEGER NOT NULL, 
	stream VARCHAR NOT NULL, 
	id VARCHAR NOT NULL, 
	user VARCHAR NOT NULL, 
	conversation VARCHAR, 
	turn VARCHAR, 
	session INTEGER, 
	ordinal INTEGER, 
	speaker VARCHAR, 
	text TEXT NOT NULL, 
	kind VARCHAR NOT NULL, 
	tags JSON NOT NULL, 
	entities JSON NOT NULL, 
	participants JSON NOT NULL, 
	location VARCHAR, 
	event_time VARCHAR, 
	valid_from VARCHAR, 
	valid_to VARCHAR, 
	importance FLOAT NOT NULL, 
	confidence FLOAT NOT NULL, 
	trust FLOAT NOT NULL, 
	uses INTEGER NOT NULL, 
	expires_at VARCHAR, 
	source JSON NOT NULL, 
	writer VARCHAR NOT NULL, 
	status VARCHAR NOT NULL, 
	superseded_by VARCHAR, 
	document VARCHAR, 
	chunk INTEGER, 
	created_at VARCHAR NOT NULL, 
	origin_id VARCHAR, 
	from_seq INTEGER NOT NULL, 
	to_seq INTEGER, 
	PRIMARY KEY ("row")
);
CREATE TABLE turns (
	id VARCHAR NOT NULL, 
	stream VARCHAR NOT NULL, 
	conversation VARCHAR NOT NULL, 
	input VARCHAR NOT NULL, 
	owner VARCHAR NOT NULL, 
	started_seq INTEGER NOT NULL, 
	ended_seq INTEGER, 
	reason VARCHAR, 
	PRIMARY KEY (id)
);
INSERT INTO "turns" VALUES('tn-t64sx1tj0nx1tkk6','ag-3nc7cv9jhwd9a1bf','cv-4zpe5k8sd9eem4ww','in-9hfk2kzx54g2w6nt','ow-saaybht2wvya7w9j',7,12,'done');
INSERT INTO "turns" VALUES('tn-bf2dgfje41pgxt0r','ag-3nc7cv9jhwd9a1bf','cv-4zpe5k8sd9eem4ww','in-vdqds16wz065gj3d','ow-3vqbcktwr1sgyj3y',14,19,'done');
CREATE TABLE vectors (
	item VARCHAR NOT NULL, 
	space VARCHAR NOT NULL, 
	vector BLOB NOT NULL, 
	PRIMARY KEY (item, space)
);
CREATE TABLE withheld (
	"row" INTEGER NOT NULL, 
	stream VARCHAR NOT NULL, 
	kind VARCHAR NOT NULL, 
	item VARCHAR NOT NULL, 
	part INTEGER, 
	event VARCHAR NOT NULL, 
	from_seq INTEGER NOT NULL, 
	to_seq INTEGER, 
	PRIMARY KEY ("row")
);
INSERT INTO "withheld" VALUES(1,'ag-3nc7cv9jhwd9a1bf','message','m-a4erakkzhft7gh38',NULL,'ev-8f85210zd0qcq7dz',20,NULL);
INSERT INTO "withheld" VALUES(2,'ag-3nc7cv9jhwd9a1bf','message','m-vcn4z3zd0dxxtd0b',NULL,'ev-8f85210zd0qcq7dz',20,NULL);
INSERT INTO "withheld" VALUES(3,'ag-3nc7cv9jhwd9a1bf','message','m-1pj67ch4r671gvbq',NULL,'ev-8f85210zd0qcq7dz',20,NULL);
INSERT INTO "withheld" VALUES(4,'ag-3nc7cv9jhwd9a1bf','message','m-n7xf2n1zs12wf2nw',NULL,'ev-8f85210zd0qcq7dz',20,NULL);
CREATE INDEX events_by_turn ON events (turn) WHERE turn IS NOT NULL;
CREATE UNIQUE INDEX agents_by_name ON agents (name) WHERE deleted_at IS NULL;
CREATE INDEX conversations_by_id ON conversations (id);
CREATE INDEX conversations_by_name ON conversations (stream, user, name);
CREATE INDEX turns_open ON turns (conversation) WHERE ended_seq IS NULL;
CREATE INDEX inputs_queued ON inputs (conversation, seq) WHERE state = 'queued';
CREATE INDEX messages_by_id ON messages (id);
CREATE INDEX messages_born ON messages (stream, from_seq);
CREATE INDEX messages_closed ON messages (stream, to_seq) WHERE to_seq IS NOT NULL;
CREATE INDEX messages_by_turn ON messages (turn);
CREATE INDEX messages_in_order ON messages (conversation, ordinal);
CREATE INDEX epochs_current ON epochs (conversation) WHERE to_seq IS NULL;
CREATE INDEX blocks_history ON blocks (stream, label, user, revision);
CREATE INDEX blocks_current ON blocks (stream, label) WHERE to_seq IS NULL;
CREATE INDEX blocks_born ON blocks (stream, from_seq);
CREATE INDEX blocks_closed ON blocks (stream, to_seq) WHERE to_seq IS NOT NULL;
CREATE INDEX passages_current ON passages (id) WHERE to_seq IS NULL;
CREATE INDEX passages_closed ON passages (stream, to_seq) WHERE to_seq IS NOT NULL;
CREATE INDEX passages_born ON passages (stream, from_seq);
CREATE INDEX withheld_current ON withheld (item) WHERE to_seq IS NULL;
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('outbox',8);
COMMIT;
