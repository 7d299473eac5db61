//! How common English words are in general prose: for passages outside any collection in which words could be counted.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use super::words::{Language, fold, stem};

/// Words in about one of 50 passages.
const EVERYWHERE: &str = "
    act age allow amount area base become begin believe best better body book bring build business call case cause
    century change child city close come common company consider contain continue control country course create day
    describe design develop development different early effect end event example fact family find first follow food
    force form found general get give go good government great group grow hand happen help high history home house
    however human idea important include increase information interest island issue keep kind know known land language
    large last late later lead learn leave less level life light like line live local long lose low made main major
    make man many material mean member method million modern money move name nation national natural nature need new
    number offer old open order organization part people period person place plan play point political population
    possible power present problem process produce product production program provide public put question read reason
    receive region related remain report require research result right rise role rule run say school second see seem
    series serve service set several show side similar single size small social society sometimes stand start state
    still structure study support system take talk term thing think third three time today together total town trade
    turn two type understand unit united university use usual value various view want war water way week well western
    word work world write year young";

/// Words in about one of 150 passages.
const OFTEN: &str = "
    ability able accept access accord account achieve action active activity actual add address administration adopt
    advance advantage affect agree agreement aim air alone alternative analysis ancient announce annual answer appear
    application apply approach appropriate approximate argue argument arm army arrange article artist aspect assembly
    associate assume attack attempt attention author authority available average avoid award balance band bank battle
    bear beautiful bed behavior behind benefit beyond big bill black block blood blue board boat border break british
    broad brother buy campaign capacity capital car care carry cell centre center central certain challenge chance
    character charge check chemical chief choice choose church cite citizen civil claim class classic classify clear
    club coast cold collect college color combine command comment commission committee community compare comparison
    compete competition complete complex component compose computer concept concern conclude condition conduct
    conference conflict connect consequence consist constant constitute construct contact contemporary content context
    contract contrast contribute convention convert cost council count court cover crime crisis critic cross culture
    current cut cycle damage dark data date daughter dead deal death debate decade decide decision decline deep
    defeat define definition degree demand department depend derive describe despite destroy detail determine device
    die difference difficult direct direction disadvantage discover discuss disease distance distinct distribute
    district divide division document door doubt draw drive drop due earth east eastern easy economic economy edge
    edit education effort eight election electric element employ enable encourage energy engine english enter entire
    environment equal equipment equivalent especially essential establish estimate european evidence evolve exact
    examine except exchange exist expand expect experience experiment explain express extend extent external extreme
    eye face factor fail fall false famous far farm father feature feel female field fight figure fill film final
    finance fire firm fish fit five flow focus foot foreign formal former forward four free french frequent friend
    front full function fund further future gain game gas german girl glass global goal gold govern green ground
    growth guide half hard head health hear heart heat heavy held hill historical hold hope hospital hot hour husband
    identify illustrate image immediate impact implement imply improve income independent indicate individual industry
    influence inside instance instead institute institution instrument intend internal international introduce
    investigate involve iron issue item job join journal judge king labor labour lack language launch law layer leader
    left legal length let letter library lie limit link list listen literature little load location logic look love
    machine maintain male manage management manufacture map mark market mass master match matter maximum measure
    mechanism media medical medium meet memory mention message metal middle might military mind minimum minister
    minor minute mission mix mode model month moon morning mother mountain mouth movement multiple music narrow near
    necessary negative network news next night nine normal north northern note notable object observe obtain obvious
    occur office officer official often oil operate operation opinion oppose opposite option organ origin original
    outside overall owner page paint pair paper parent particular partner party pass past path pattern pay peace
    percent perform perhaps permanent permit phase philosophy physical picture piece plant plate player pole police
    policy poor popular position positive potential practice precise predict prefer prepare press pressure prevent
    previous price primary prime principle print prior private probable procedure professional professor profit
    progress project promote proper property propose pros cons protect prove province publish purchase purpose quality
    quantity quick race radio rail railway raise range rapid rare rate ratio reach react real realize recent recognize
    record red reduce refer reference reform refuse regard regular reject relation relationship relative release
    religion religious remove repeat replace represent republic reserve resource respect respond response responsible
    rest restrict return reveal review revolution rich river road rock room root round route royal safe sale sample
    save scale scene science scientific scientist sea search season seat secret section sector security select self
    sell send senior sense separate serious seven shape share ship short shot sign signal significant simple site
    situation six skill slow smooth soil soldier solution solve son sort sound source south southern space speak
    special species specific speech speed spend spread square staff stage standard star statement station status stay
    step stock stone stop store story strategy stream street strength strong student style subject substance succeed
    success sudden suffer suggest suitable sun supply sure surface surround survive symbol table target task tax teach
    team technical technique technology television temperature tend test text theory thick thin thought thousand
    threat tool top touch track tradition traditional train transfer transform transport travel treat treatment tree
    trend trial true trust try typical ultimate unique upper user vary vast vehicle version victory video village
    violence visit visual voice volume vote walk wall warm watch wave weak weapon wear weather weight west white whole
    wide wife wind window winter wish woman wood worker worth wrong yield";

/// The assumed share of passages for any other word.
const RARE: f64 = 0.001;

static EVERYWHERE_STEMS: LazyLock<BTreeSet<String>> = LazyLock::new(|| stems(EVERYWHERE));
static OFTEN_STEMS: LazyLock<BTreeSet<String>> = LazyLock::new(|| stems(OFTEN));

fn stems(words: &str) -> BTreeSet<String> {
    words.split_whitespace().map(|word| stem(word, Language::English)).collect()
}

/// Whether a word is common in prose on any topic.
pub fn is_common(word: &str) -> bool {
    share(word) > RARE
}

/// The approximate share of passages of general prose that contain a word.
pub fn share(word: &str) -> f64 {
    let stem = stem(&fold(word), Language::English);
    if EVERYWHERE_STEMS.contains(&stem) {
        0.02
    } else if OFTEN_STEMS.contains(&stem) {
        0.007
    } else {
        RARE
    }
}

#[cfg(test)]
mod tests {
    use super::share;

    #[test]
    fn what_a_question_is_about_is_rarer_than_how_it_is_asked() {
        for (rare, common) in [
            ("photosynthesis", "works"),
            ("tuberculosis", "treatment"),
            ("Qdrant", "advantages"),
            ("volcano", "causes"),
            ("treaty", "important"),
        ] {
            assert!(share(rare) < share(common), "{rare} {common}");
        }
    }
}
